import { json, keyValue } from '@unikv/core'
import { type EntityDb, type EntityTransaction, entities, entity, plain } from '@unikv/entity'
import { transactional, transactions } from '../src/index.ts'
import { leaseMs, type MemoryStore, Process, type Shared, type Way } from './world.ts'

/** Values of one store are one group. */
const Item = entity('Item', {
  schema: plain<{ store: string; name: string; value: unknown }>(),
  id: ['store', 'name'],
  group: ['store'],
  indexes: ['store'],
})

const red = Item.group({ store: 'red' })
const blue = Item.group({ store: 'blue' })

/** The entities of a group as records. */
function recordsIn(tx: Pick<EntityTransaction, 'get' | 'create' | 'update' | 'byIndex'>, store: string) {
  return {
    get: async (name: string) => (await tx.get(Item, { store, name }))?.value,
    async scan() {
      const found = await tx.byIndex(Item, 'store', store)
      return found.map(({ name, value }) => [name, value] as const)
    },
    async set(name: string, value: unknown) {
      const isThere = (await tx.get(Item, { store, name })) !== undefined
      await (isThere ? tx.update(Item, { store, name, value }) : tx.create(Item, { store, name, value }))
    },
  }
}

/** Entities in red, and the log, of one process. */
function openedParts(shared: Shared, process: Process) {
  const log = keyValue(process.through(shared.log as MemoryStore), [json()])
  const layers = [...(shared.layers?.() ?? []), transactional({ log, leaseMs })]
  const kv = keyValue(process.through(shared.red as MemoryStore), layers as never)
  const db: EntityDb = entities(kv as never, [Item])
  return { log, db }
}

/** Red and blue are two groups of one database: transactions are `run` over both. */
export function openedGroups(shared: Shared, process: Process = new Process()): Way {
  const { log, db } = openedParts(shared, process)
  return {
    red: recordsIn(db, 'red'),
    blue: recordsIn(db, 'blue'),
    db: {
      run: (work, settings) =>
        db.run(
          [red, blue],
          (tx) => work({ red: recordsIn(tx, 'red'), blue: recordsIn(tx, 'blue') }),
          settings,
        ),
      recover: (options) => transactions({ items: db, log }).recover(options),
    },
  }
}

/** Red is a group of entities, blue has plain records. */
export function openedBoth(shared: Shared, process: Process = new Process()): Way {
  const { log, db: groups } = openedParts(shared, process)
  const store = process.through(shared.blue as MemoryStore)
  const records = keyValue(store, [json<unknown>(), transactional({ log, leaseMs })])
  const db = transactions({ groups, records, log })
  return {
    red: recordsIn(groups, 'red'),
    blue: records,
    db: {
      run: (work, settings) =>
        db.run((tx) => work({ red: recordsIn(tx.groups, 'red'), blue: tx.records }), settings),
      recover: (options) => db.recover(options),
    },
  }
}
