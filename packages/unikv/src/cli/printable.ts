/**
 * A text of a store for the terminal of a person: control characters, which could move the cursor or hide what was printed,
 * are shown as `\\u001b`. Files and pipes (no `width`) get every character.
 *
 * @param what lines and tabs of a value stay, but those of a key would look like several
 */
export function printable(text: string, width: number | undefined, what: 'value' | 'key' = 'value'): string {
  if (width === undefined) return text
  const hidden = what === 'key' ? /\p{Cc}/gu : /(?![\n\t])\p{Cc}/gu
  return text.replace(hidden, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
