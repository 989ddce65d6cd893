import { StoreError } from '@unikv/core'
import { kindOf } from '@unikv/core/adapter'
import type { Share } from '../../drive/share.ts'

/**
 * Refuse what is not a part of a run: its number must be below that of the parts.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkShare(whose: string, share: Share | undefined): void {
  if (share === undefined) return
  const { index, of } = Object(share) as Share
  if (Number.isSafeInteger(index) && Number.isSafeInteger(of) && index >= 0 && index < of) return
  const got = typeof share === 'object' ? JSON.stringify({ index, of }) : kindOf(share)
  throw new StoreError(
    'INVALID_CONFIG',
    `share of ${whose}() must be { index, of }, whole numbers with an index from 0 to below \`of\`; got ${got}.`,
  )
}
