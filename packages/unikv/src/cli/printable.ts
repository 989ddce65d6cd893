/** Control characters, and format characters that people do not see: they change the order of what is shown, or have no width. */
const hiddenInKeys = /[\p{Cc}\p{Cf}\u2028\u2029]/gu
/** Lines, tabs and joined emoji of a value stay. */
const hiddenInValues = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu

/**
 * A text of a store for the terminal of a person: characters that could move the cursor, hide what was printed, or pass one key
 * off as another are shown as `\\u001b`. Files and pipes (no `width`) get every character.
 *
 * @param what lines and tabs of a value stay, but those of a key would look like several
 */
export function printable(text: string, width: number | undefined, what: 'value' | 'key' = 'value'): string {
  if (width === undefined) return text
  return text.replace(what === 'key' ? hiddenInKeys : hiddenInValues, escaped)
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')
}
