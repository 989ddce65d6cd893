import { maskUrl } from '@unikv/stores/lazy'

/** The command line as one could type it again, its URLs without user info. */
export function repeatCommand(args: readonly string[]): string {
  const measured = args.filter(
    (arg, at) => !showsPage(arg) && !(args[at - 1] === '--dashboard' && /^\d+$/.test(arg)),
  )
  return ['npx unikv', ...measured.map((arg) => quoted(masked(arg)))].join(' ')
}

/** A page changes nothing of a measurement. */
function showsPage(arg: string): boolean {
  return arg === '--dashboard' || arg.startsWith('--dashboard=')
}

/** `URL`, `name=URL` and `--store=name=URL`. */
function masked(arg: string): string {
  const [, option = '', name = '', rest = ''] = /^(--[a-z-]+=)?([^=:/?]+=)?(.*)$/s.exec(arg) ?? []
  return /^[a-z][a-z\d+.-]*:/i.test(rest) ? option + name + maskUrl(rest) : arg
}

function quoted(arg: string): string {
  if (/\p{Cc}/u.test(arg)) return `$'${arg.replace(/[\p{Cc}'\\]/gu, escaped)}'`
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`
}

/** As shells read it within `$'…'`, on one line. */
function escaped(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
