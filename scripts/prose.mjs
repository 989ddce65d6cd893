/**
 * The text of a file with all that is not prose blanked out, every line and column where it was: the comments and
 * messages of a source, the text of a page. A zero stands between two texts.
 */
export function prose(text, isSource) {
  return isSource ? ofSource(text) : ofPage(text)
}

const token =
  /(\/\*[\s\S]*?\*\/|(?:\/\/.*\n?[^\S\n]*)+)|('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|(`(?:\\[\s\S]|[^`\\])*`)|(?<=[(,=:[!&|?{};\n]\s*|\breturn )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/g

function ofSource(text) {
  let end = 0
  let out = ''
  for (const { 0: whole, 1: comment, 2: string, 3: template, index } of text.matchAll(token)) {
    const shown = comment ? ofComment(comment) : ofMessage(string ?? template ?? '')
    out += blank(text.slice(end, index)) + (shown || blank(whole))
    end = index + whole.length
  }
  return out + blank(text.slice(end))
}

/** Behind the mark that opens it, without the star or the slashes of each line, and without code. */
function ofComment(comment) {
  const unmarked = comment.replace(/^\/\*+|\*+\/$|(?<=\n)[^\S\n]*\*(?!\/)|\/\/+/g, (mark, at) =>
    gap(mark, at === 0),
  )
  return withoutCode(unmarked)
}

/** A string of one word, or without a space, is a name. */
function ofMessage(string) {
  if (!/[A-Za-z] [A-Za-z]/.test(string)) return ''
  return `\0${string.slice(1, -1).replace(/\$\{[^}\n]*\}/g, (code) => 'x'.repeat(code.length))}\0`
}

/** A heading is not a sentence. */
function ofPage(text) {
  const fenced = /^( *)(```+|~~~+)[\s\S]*?^\1\2.*$/gm
  return withoutCode(text.replace(fenced, blank).replace(/^#+ .*$/gm, blank))
}

/** Code between ticks stays a word of its sentence. */
function withoutCode(text) {
  return text.replace(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length))
}

function gap(mark, starts) {
  return starts ? `\0${' '.repeat(mark.length - 1)}` : ' '.repeat(mark.length)
}

function blank(text) {
  return text.replace(/[^\n]/g, '\0')
}
