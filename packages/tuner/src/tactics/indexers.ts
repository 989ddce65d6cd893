import type { Indexer } from './indexer.ts'
import { postgresIndexer } from './indexers/postgres.ts'

/** Indexers by product. */
export const indexers: { readonly [kind: string]: Indexer | undefined } = {
  postgres: postgresIndexer,
}
