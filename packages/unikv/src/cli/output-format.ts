import type { AnyStudy } from '@unikv/bench'
import { StoreError } from '@unikv/core'

/** How results are printed; `own`: in the format of the study that was named. */
export type OutputFormat = 'text' | 'json' | 'markdown' | { readonly own: string }

/** The options that say so. */
interface Formats {
  readonly json?: boolean
  readonly markdown?: boolean
  readonly format?: string
}

/**
 * The one format that the options ask for.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if there are several, or one that is not known
 */
export function formatOf(
  { json = false, markdown = false, format }: Formats,
  study?: Pick<AnyStudy, 'report'>,
): OutputFormat {
  if (Number(json) + Number(markdown) + Number(format !== undefined) > 1)
    throw new StoreError('INVALID_ARGUMENT', `Choose ${choices(format)}, not both.`)
  if (json) return 'json'
  if (markdown) return 'markdown'
  if (format === undefined || format === 'text') return 'text'
  if (format === 'json' || format === 'markdown') return format
  const own = study?.report.formats ?? []
  if (own.includes(format)) return { own: format }
  const known = ['text', 'json', 'markdown', ...own].join(', ')
  throw new StoreError('INVALID_ARGUMENT', `--format: '${format}' is unknown; known are ${known}.`)
}

function choices(format: string | undefined): string {
  return format === undefined ? '--json or --markdown' : '--format, --json or --markdown'
}
