import { StoreError } from '@unikv/core'

/** How results are printed. */
export type OutputFormat = 'text' | 'json' | 'markdown'

/**
 * The one format that is asked for.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if both are
 */
export function formatOf({
  json = false,
  markdown = false,
}: {
  readonly json?: boolean
  readonly markdown?: boolean
}): OutputFormat {
  if (json && markdown) throw new StoreError('INVALID_ARGUMENT', 'Choose --json or --markdown, not both.')
  if (json) return 'json'
  return markdown ? 'markdown' : 'text'
}
