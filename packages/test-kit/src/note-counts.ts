import { appendFileSync } from 'node:fs'

/** Adds a line of JSON to the file that `UNIKV_COUNTS` names, from which `npm run prove` prints its table; if it names one. */
export function noteCounts(counts: object): void {
  const file = process.env['UNIKV_COUNTS']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(counts)}\n`)
}
