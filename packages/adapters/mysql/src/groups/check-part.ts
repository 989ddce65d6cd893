import { checkGroupKey } from '@unikv/core/adapter'
import { maxPartBytes } from './group-table.ts'

/**
 * Refuse a name of a group, or a key, that does not fit into its column.
 *
 * @throws {StoreError} `INVALID_KEY`, `KEY_TOO_LONG`
 */
export function checkPart(text: string): void {
  checkGroupKey(text, undefined, maxPartBytes)
}
