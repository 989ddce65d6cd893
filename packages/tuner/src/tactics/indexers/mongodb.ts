import { StoreError } from '@unikv/core'
import { type Indexer, type IndexFacts, type IndexPlan, partsOf, type TableFacts } from '../indexer.ts'

/** The members of a MongoClient that are used here, and those of `native` of a store that opened its own. */
interface Native {
  /** A store has it. */
  client?(): Promise<Native>
  collection?(): Promise<{ readonly dbName: string }>
  db?(name?: string): Database
}

interface Database {
  readonly databaseName: string
  command<Answer = Cursor>(command: object): Promise<Answer>
}

interface Cursor {
  readonly cursor: { readonly firstBatch: readonly Index[] }
}

/** An index as `listIndexes` tells it, and `$indexStats`. */
interface Index {
  readonly name: string
  readonly key: { readonly [field: string]: unknown }
  readonly unique?: boolean
  readonly sparse?: boolean
  readonly expireAfterSeconds?: number
  readonly partialFilterExpression?: object
  readonly collation?: object
  /** Since the server counts; those that stand in for MongoDB do not. */
  readonly accesses?: { readonly ops: unknown; readonly since: Date | null }
  readonly building?: boolean
}

/** Actions that a user may take. */
interface Right {
  readonly resource: { readonly anyResource?: boolean; readonly db?: string; readonly collection?: string }
  readonly actions: readonly string[]
}

const noSuchIndex = 27
const noSuchCollection = 26

/**
 * Indexes of MongoDB. In a collection of unikv they are on fields of the documents, and serve the query `{ 'value.ip': … }`; in
 * your own collection on its fields, `{ ip: … }`. The server goes on with a build whose client is gone, and a second
 * command waits for the same build.
 */
export const mongodbIndexer: Indexer = {
  how: 'createIndexes; from MongoDB 4.2 on reads and writes go on meanwhile',
  writeFactor: 1.13,
  look: async (native, table) => look(native as Native, table),
  create: async (native, plan, signal) => create(native as Native, plan, signal),
  drop: async (native, plan, _signal) => drop(await collectionOf(native as Native, plan.table), plan),
}

/** A collection by its name, and the commands of its database. */
interface Place {
  readonly name: string
  readonly database: Database
  readonly admin: Database
}

async function look(native: Native, table: string): Promise<TableFacts> {
  const place = await collectionOf(native, table)
  const indexes = await listed(place, table)
  const { n } = await place.database.command<{ readonly n: number }>({ count: place.name })
  const isOurs = await isOfUnikv(place)
  // Not every user may read it.
  const counted = await statistics(place).catch(() => [])
  const countedOf = (index: Index): Index | undefined => counted.find(({ name }) => name === index.name)
  return {
    records: Number(n),
    denied: await deniedOf(place, table),
    indexes: indexes.map((index) => factsOf(index, countedOf(index), isOurs)),
  }
}

async function listed({ database, name }: Place, table: string): Promise<readonly Index[]> {
  try {
    return (await database.command({ listIndexes: name })).cursor.firstBatch
  } catch (error) {
    if ((error as { readonly code?: number }).code !== noSuchCollection) throw error
    throw new StoreError('NOT_PREPARED', `MongoDB has no collection ${table}.`)
  }
}

function factsOf(index: Index, counted: Index | undefined, isOurs: boolean): IndexFacts {
  const { key, name, unique, expireAfterSeconds, partialFilterExpression, sparse, collation } = index
  // One of some records alone, or in the order of a language, serves no query for sure.
  const isPlain = partialFilterExpression === undefined && sparse !== true && collation === undefined
  const { ops, since = null } = counted?.accesses ?? {}
  return {
    name,
    by: Object.entries(key).map(([field, kind]) => (isPlain ? attributeOf(field, kind, isOurs) : '?')),
    isValid: counted?.building !== true,
    isOfKey: name === '_id_' || unique === true || expireAfterSeconds !== undefined,
    uses: since === null ? undefined : Number(ops),
  }
}

function attributeOf(field: string, kind: unknown, isOurs: boolean): string {
  const isOrdered = Math.abs(Number(kind)) === 1 && !field.includes('$**')
  const isReached = !isOurs || field.startsWith('value.')
  if (!isOrdered || !isReached) return '?'
  return isOurs ? field.slice('value.'.length) : field
}

async function create(native: Native, plan: IndexPlan, signal: AbortSignal): Promise<void> {
  const place = await collectionOf(native, plan.table)
  const before = (await isOfUnikv(place)) ? 'value.' : ''
  const key = Object.fromEntries(plan.by.map((attribute) => [`${before}${attribute}`, 1]))
  // A build that is under way ends when its index is dropped.
  const stop = (): void => void drop(place, plan).catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    await place.database.command({ createIndexes: place.name, indexes: [{ key, name: plan.name }] })
  } finally {
    signal.removeEventListener('abort', stop)
  }
  signal.throwIfAborted()
}

async function drop({ database, name }: Place, plan: IndexPlan): Promise<void> {
  await database
    .command({ dropIndexes: name, index: plan.name })
    .catch((error: { readonly code?: number }) => {
      if (error.code !== noSuchIndex && error.code !== noSuchCollection) throw error
    })
}

/** Whether the adapter made it, and the documents are in the field `value`. */
async function isOfUnikv({ database, name }: Place): Promise<boolean> {
  const filter = { _id: { unikv: 'settings' } }
  const { cursor } = await database.command({ find: name, filter, limit: 1, singleBatch: true })
  return cursor.firstBatch.length > 0
}

/** Without authentication everybody may do everything. */
async function deniedOf({ admin, database, name }: Place, table: string): Promise<string | undefined> {
  const { authInfo } = await admin.command<{
    readonly authInfo: {
      readonly authenticatedUsers?: readonly unknown[]
      readonly authenticatedUserPrivileges?: readonly Right[]
    }
  }>({ connectionStatus: 1, showPrivileges: true })
  const { authenticatedUsers: users = [], authenticatedUserPrivileges: rights = [] } = authInfo
  if (users.length === 0) return undefined
  const isHere = ({ resource: { anyResource, db, collection } }: Right): boolean =>
    anyResource === true ||
    ((db === '' || db === database.databaseName) && (collection === '' || collection === name))
  const allowed = rights.filter(isHere).flatMap(({ actions }) => actions)
  const missing = ['createIndex', 'dropIndex'].filter((right) => !allowed.includes(right))
  if (missing.length === 0) return undefined
  return `This user lacks the right ${missing.join(' and ')} on ${table}. The role readWrite of its database has both.`
}

async function collectionOf(native: Native, table: string): Promise<Place> {
  const [named, name] = partsOf(table)
  const client = (await native.client?.()) ?? native
  const place = named ?? (await native.collection?.())?.dbName
  return { name, database: client.db?.(place) as Database, admin: client.db?.('admin') as Database }
}

async function statistics({ database, name }: Place): Promise<readonly Index[]> {
  const pipeline = [{ $indexStats: {} }]
  return (await database.command({ aggregate: name, pipeline, cursor: {} })).cursor.firstBatch
}
