// The shapes of what the page keeps and of what the server answers; types only, nothing runs.

/**
 * A number of the server; what no float of JSON holds is a word.
 * @typedef {number | "inf" | "-inf" | null} Value
 *
 * @typedef {{expression: string, relation: string | null}} Run
 *
 * @typedef {"profile" | "tradeoff" | "steps" | "renyi"} Kind
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} domain
 * @property {string | number | boolean | null} default
 * @property {string | number | boolean | null} example
 * @property {string} kind "number", "integer", "flag" or "other"
 * @property {boolean} required
 *
 * @typedef {{name: string, sentence: string, fields: Field[], simple: boolean}} Named
 *
 * @typedef {object} Names
 * @property {Named[]} mechanisms
 * @property {Named[]} samplers
 *
 * @typedef {object} Answer
 * @property {Value} epsilon
 * @property {Value} lower
 * @property {string} shown
 * @property {string} shown_lower
 * @property {string} method
 * @property {string} relation
 * @property {string} printed
 * @property {string} expression
 * @property {number} steps
 *
 * @typedef {{label: string, unit: string, scale: "linear" | "log"}} Axis
 *
 * @typedef {object} Series
 * @property {string} label
 * @property {Value[]} x
 * @property {Value[]} upper
 * @property {Value[]} lower
 * @property {string} [error]
 *
 * @typedef {{kind: Kind, x: Axis, y: Axis, series: Series[]}} Curves
 *
 * @typedef {object} Attacker
 * @property {{prior: number, posterior: number, sentence: string}[]} rows
 * @property {string[]} sentences
 *
 * @typedef {object} ComparedBound
 * @property {string} name
 * @property {Value} epsilon
 * @property {string} shown
 * @property {Value} lower
 * @property {boolean} valid
 * @property {string} note
 *
 * @typedef {object} SampledRun
 * @property {string} sampler
 * @property {string} words its name in words
 * @property {string} expression
 * @property {string} relation
 * @property {boolean} yours whether the run was written with it
 * @property {Value} epsilon
 * @property {string} shown
 * @property {Value} lower
 * @property {string} shown_lower
 * @property {string} note
 *
 * @typedef {{value: Value, expression: string, epsilon: Value, shown: string}} Calibrated
 *
 * @typedef {{python: string, command: string}} Code
 *
 * @typedef {object} Budget
 * @property {string} name
 * @property {string} epsilon
 * @property {string} delta
 * @property {string} unit
 * @property {string} relation
 * @property {string} filter
 * @property {string} filter_sentence
 * @property {string} opened
 * @property {Value} used a part of 1
 * @property {Value} left a part of 1
 *
 * @typedef {object} Spending
 * @property {number} number
 * @property {string} time
 * @property {string} by
 * @property {string} purpose
 * @property {string} part
 * @property {string} expression
 * @property {Value} used the part that is gone after it
 *
 * @typedef {object} More
 * @property {{label: string, reached: Value, limit: Value}[]} sums
 * @property {number} spendings
 * @property {Spending[]} entries
 * @property {{time: string[], used: Value[]}} chart
 *
 * @typedef {Budget & More} BudgetInFull
 */

export {};
