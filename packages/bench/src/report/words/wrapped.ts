/** A paragraph broken at spaces, its further lines indented; what it begins with stays. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = []
  const start = /^ */.exec(text)?.[0] ?? ''
  let line = ''
  for (const word of text.slice(start.length).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent + word
    } else line = line === '' ? start + word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
