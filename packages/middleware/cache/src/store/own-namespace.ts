import { createHash } from 'node:crypto'
import type { AnyStore } from '@unikv/core'

/** As short as can be, as all keys of the cache store begin with it: 64 bits. */
const digestChars = 11

/** Where the records of a dataset lie in a store that may serve others, too: `kind`, and what tells the dataset from these. */
export function ownNamespace(kind: string, { dataset }: Pick<AnyStore, 'dataset'>): string {
  if (dataset === undefined) return kind
  const digest = createHash('sha256').update(dataset).digest('base64url')
  return `${kind}.${digest.slice(0, digestChars)}`
}
