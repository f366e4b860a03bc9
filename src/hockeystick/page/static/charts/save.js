// Files that the browser itself makes: nothing is sent anywhere.

import { make, toast } from "../base/dom.js";

/** Of a PNG, for paper and for screens with small pixels. */
const PIXELS_A_POINT = 2;

/**
 * @param {string} name
 * @param {Blob} content
 */
export function save(name, content) {
  const address = URL.createObjectURL(content);
  const anchor = make("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * An SVG as a PNG, by way of a canvas.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function pngOf(svg) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = make("canvas");
  canvas.width = picture.naturalWidth * PIXELS_A_POINT;
  canvas.height = picture.naturalHeight * PIXELS_A_POINT;
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture was made")))),
  );
}

/**
 * Buttons that save what is drawn at the time: PNG, SVG, CSV.
 * @param {HTMLElement} place
 * @param {string} what for the names of buttons
 * @param {() => {name: string, svg: string, csv: string} | null} drawn
 */
export function saveButtons(place, what, drawn) {
  const button = (
    /** @type {string} */ format,
    /** @type {(files: {name: string, svg: string, csv: string}) => Promise<Blob> | Blob} */ made,
  ) =>
    make("button", {
      type: "button",
      class: "quiet",
      text: format,
      "aria-label": `Save ${what} as ${format}`,
      "data-save": format.toLowerCase(),
      onclick: async () => {
        const files = drawn();
        if (!files) return;
        const name = `${files.name}.${format.toLowerCase()}`;
        save(name, await made(files));
        toast(`Saved ${name}`);
      },
    });
  place.append(
    make("span", { class: "caption", text: "Save as" }),
    button("PNG", ({ svg }) => pngOf(svg)),
    button("SVG", ({ svg }) => new Blob([svg], { type: "image/svg+xml" })),
    button("CSV", ({ csv }) => new Blob([csv], { type: "text/csv" })),
  );
}
