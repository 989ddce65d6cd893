import { isStoreError } from '@unikv/core'
import { queryNamed } from '@unikv/monitor'
import type { StoreWork } from '../observe/work.ts'
import type { Change, Tactic, TunedStore } from '../tactic.ts'
import { declared, type IndexFound, removals, told } from './index-candidates.ts'
import { type Indexer, type IndexFacts, type IndexPlan, tableOf } from './indexer.ts'
import { indexers } from './indexers.ts'

const limitMs = 3_600_000

/** Adds an index for queries that wait for a scan of the whole table. */
export const addIndex: Tactic<IndexFound> = {
  name: 'add-index',
  limitMs,
  knowledge: {
    effects: [
      { on: 'queries', of: 'latency', times: [0.001, 0.1] },
      { on: 'writes', of: 'latency', times: [1.02, 1.3] },
      { on: 'all', of: 'disk', times: [1.05, 1.3] },
    ],
    cost: 'The server reads the whole table, about 10 s for a million records. The index takes disk, and each write takes a few per cent longer.',
    source:
      'PaSTA (Preuveneers and Joosen 2020), Table 5 and Figure 12: 2,667 ms to 4.8 ms, effective after 9 s.',
  },
  look: lookAtTables,
  applies: (facts) => [...declared(facts), ...told(facts)],
  carryOut: (change, at) => indexerOf(at).create(at.kv.native, planOf(change), at.signal),
  undo: (change, at) => indexerOf(at).drop(at.kv.native, planOf(change), at.signal),
  isDone: async (change, at) => (await found(change, at))?.isValid === true,
}

/** Drops an index that no query uses, where writes are slow. */
export const dropIndex: Tactic<IndexFound> = {
  name: 'drop-index',
  limitMs,
  knowledge: {
    effects: [
      { on: 'writes', of: 'latency', times: [0.8, 0.98] },
      { on: 'all', of: 'disk', times: [0.7, 0.95] },
    ],
    cost: 'A query that uses it seldom, such as a report at night, becomes slow. To make it again takes as long as at first.',
    source: 'PaSTA (Preuveneers and Joosen 2020), part 5.2.',
  },
  look: lookAtTables,
  applies: removals,
  carryOut: (change, at) => indexerOf(at).drop(at.kv.native, planOf(change), at.signal),
  undo: (change, at) => indexerOf(at).create(at.kv.native, planOf(change), at.signal),
  isDone: async (change, at) => (await found(change, at)) === undefined,
}

async function lookAtTables(at: TunedStore, work: StoreWork): Promise<IndexFound> {
  const indexer = indexers[at.kind]
  if (indexer === undefined) return { tables: {} }
  const named = Object.keys(work).flatMap((name) => {
    const query = queryNamed(name)
    return query === undefined ? [] : [tableOf(query, at.table)]
  })
  const tables = [...new Set([at.table, ...named])]
  const looked = await Promise.all(
    tables.map(async (table) => {
      const facts = await indexer.look(at.kv.native, table).catch(missing)
      // A server that does not let this user see its statements tells nothing.
      const queries = facts === undefined ? [] : await indexer.told?.(at.kv.native, table).catch(() => [])
      return facts === undefined ? [] : [{ table, facts, queries: queries ?? [] }]
    }),
  )
  const found = looked.flat()
  return {
    tables: Object.fromEntries(found.map(({ table, facts }) => [table, facts])),
    queries: Object.fromEntries(found.map(({ table, queries }) => [table, queries])),
  }
}

/** Queries may name a table that is not there: that says nothing about the other tables. */
function missing(error: unknown): undefined {
  if (!isStoreError(error) || error.code !== 'NOT_PREPARED') throw error
}

async function found(change: Change, at: TunedStore): Promise<IndexFacts | undefined> {
  const { name, table } = planOf(change)
  const { indexes } = await indexerOf(at).look(at.kv.native, table)
  return indexes.find((index) => index.name === name)
}

function indexerOf({ kind }: TunedStore): Indexer {
  const indexer = indexers[kind]
  if (indexer === undefined) throw new Error(`${kind} has no indexer`)
  return indexer
}

function planOf(change: Change): IndexPlan {
  return change as unknown as IndexPlan
}
