// Marks of an axis of time, in seconds since 1970: whole minutes, hours, days, written alike everywhere.

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const STEPS = [
  ...[1, 5, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY],
  ...[91 * DAY, 182 * DAY, 365 * DAY, 730 * DAY, 1825 * DAY],
];

/**
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
export function timeTicks(from, to, most) {
  const step = STEPS.find((each) => (to - from) / each <= most) ?? 3650 * DAY;
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return found;
}

/**
 * The texts of marks, in UTC: days where they are days apart, else the time of day.
 * @param {number[]} marks
 */
export function timeTexts(marks) {
  const first = marks[0] ?? 0;
  const alone = first % DAY === 0 ? DAY : MINUTE;
  const step = marks.length > 1 ? (marks[1] ?? 0) - first : alone;
  return marks.map((mark) => {
    const text = new Date(mark * 1000).toISOString();
    if (step >= DAY) return text.slice(0, 10);
    return step >= MINUTE ? text.slice(11, 16) : text.slice(11, 19);
  });
}
