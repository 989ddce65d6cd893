/** A name for people, on one line whatever characters it holds. */
export function printable(name: string): string {
  return name === '' || /[\p{Cc}\u2028\u2029]/u.test(name)
    ? JSON.stringify(name).replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)
    : name
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
