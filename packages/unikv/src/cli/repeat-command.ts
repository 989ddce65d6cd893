import { maskUrl } from '../mask-url.ts'

/** The command line as one could type it again, its URLs without user info. */
export function repeatCommand(args: readonly string[]): string {
  return ['npx unikv', ...args.map((arg) => quoted(masked(arg)))].join(' ')
}

/** `URL`, `name=URL` and `--store=name=URL`. */
function masked(arg: string): string {
  const [, option = '', name = '', rest = ''] = /^(--[a-z-]+=)?([^=:/?]+=)?(.*)$/s.exec(arg) ?? []
  return /^[a-z][a-z\d+.-]*:/i.test(rest) ? option + name + maskUrl(rest) : arg
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`
}
