/** A text without the white space of XML at both ends. Other white space, such as a no-break space, is part of the text. */
export function trimmed(text: string): string {
  // A regular expression would try every position of a long run of spaces.
  let [start, end] = [0, text.length]
  while (start < end && isSpace(text, start)) start++
  while (start < end && isSpace(text, end - 1)) end--
  return text.slice(start, end)
}

/** A text without white space around it; `undefined` if there is nothing else. */
export function textIn(text: string): string | undefined {
  const found = trimmed(text)
  return found === '' ? undefined : found
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 32 || code === 10 || code === 13 || code === 9
}
