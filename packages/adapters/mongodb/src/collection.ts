import { type CallOptions, isStoreError, StoreError } from '@unikv/core'
import { callOptions, type DeclaredIndex, invalidConfig, openIndexes } from '@unikv/core/adapter'
import type { Document } from 'mongodb'
import type { Commands } from './client/commands.ts'
import type { MongodbDurability } from './client/consistency.ts'
import { indexPath } from './find/stages.ts'

/** The required properties of the collection. */
export interface CollectionOptions {
  readonly documents: boolean
  /** Make it where it is missing. */
  readonly prepare: boolean
  readonly durability: MongodbDurability
  readonly indexes: readonly DeclaredIndex[]
}

/** Where the settings of a dataset stand: no key is an object, so no record is there and no scan comes by. */
const settingsId: Document = Object.freeze({ unikv: 'settings' })
/** Sparse: a record that does not expire costs no entry. */
const expiryIndex = { key: { expiresAt: 1 }, name: 'unikv_expiry', expireAfterSeconds: 0, sparse: true }
const namespaceExists = 48

/**
 * Look at the server and the collection, and make the collection if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if it is missing, `INVALID_CONFIG` if it is not ours or the servers promise less
 *   than `durability`
 */
export async function openCollection(
  commands: Commands,
  options: CollectionOptions,
  call: CallOptions,
): Promise<void> {
  const server = await commands.run({ hello: 1 }, call, false)
  checkServer(server, options)
  commands.isAlone = server['setName'] === undefined && server['msg'] !== 'isdbgrid'
  const found = await consistent(commands, call)
  if (found.collection !== undefined) checkCollection(found.collection, commands.target.collection)
  if (isWhole(found) || !options.prepare) return checkFound(found, options, commands.target.collection)
  await make(commands, options, found, call)
  checkFound(await look(commands, call), options, commands.target.collection)
}

/** The parts of a look are asked for at once: somebody may have made the collection between two of them. */
async function consistent(commands: Commands, call: CallOptions): Promise<Collection> {
  const found = await look(commands, call)
  const wasJustMade = found.collection === undefined && found.settings !== undefined
  return wasJustMade ? look(commands, call) : found
}

/** The collection as it is. */
interface Collection {
  /** The server's description of it; `undefined`: missing. */
  readonly collection: Document | undefined
  readonly settings: Document | undefined
  readonly hasIndex: boolean
}

async function look(commands: Commands, call: CallOptions): Promise<Collection> {
  const name = commands.target.collection
  const [collections, settings, indexes] = await Promise.all([
    commands.run({ listCollections: 1, filter: { name } }, call, false),
    commands.find([{ $match: { _id: { $eq: settingsId } } }], 1, call),
    commands.run({ listIndexes: name }, call, false).catch(withoutCollection),
  ])
  return {
    collection: collections['cursor'].firstBatch[0],
    settings: settings.documents[0],
    hasIndex: indexes['cursor'].firstBatch.some(isExpiryIndex),
  }
}

function withoutCollection(error: unknown): Document {
  if (isStoreError(error) && error.code === 'NOT_PREPARED') return { cursor: { firstBatch: [] } }
  throw error
}

function isExpiryIndex({ key, expireAfterSeconds }: Document): boolean {
  return key.expiresAt === 1 && Number(expireAfterSeconds) === 0
}

function isWhole({ settings, hasIndex }: Collection): boolean {
  return settings !== undefined && hasIndex
}

/**
 * See that the declared indexes are there, and make them if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if one is missing
 */
export function openFieldIndexes(
  commands: Commands,
  { indexes, prepare }: CollectionOptions,
  call: CallOptions,
): Promise<void> {
  const { collection } = commands.target
  return openIndexes(indexes, {
    prepare,
    remedy,
    look: async () => {
      const found = await commands.run({ listIndexes: collection }, call, false)
      return found['cursor'].firstBatch.map(({ name }: Document) => name)
    },
    make: ({ name, paths }) => {
      const key = Object.fromEntries([...paths.map(indexPath), '_id'].map((path) => [path, 1]))
      return commands.run({ createIndexes: collection, indexes: [{ name, key }] }, call, false)
    },
  })
}

/** Several may do this at the same time: each step finds what another one did. */
async function make(
  commands: Commands,
  options: CollectionOptions,
  found: Collection,
  call: CallOptions,
): Promise<void> {
  const { collection } = commands.target
  if (found.collection === undefined)
    await commands.run({ create: collection }, call, false).catch(unlessThere)
  else if (found.settings === undefined) await checkEmpty(commands, call)
  await commands.run({ createIndexes: collection, indexes: [expiryIndex] }, call, false)
  const settings = { q: { _id: settingsId }, u: { $setOnInsert: settingsOf(options) }, upsert: true }
  await commands.write(
    { update: collection, updates: [settings] },
    callOptions({ deadlineAt: call.deadlineAt, signal: call.signal }),
  )
}

function unlessThere(error: unknown): void {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  if (cause?.code !== namespaceExists) throw error
}

/** A collection that somebody else filled is not ours to take; one that we are filling has its settings by now. */
async function checkEmpty(commands: Commands, call: CallOptions): Promise<void> {
  const { documents } = await commands.find([{ $limit: 1 }], 1, call)
  if (documents.length > 0 && (await look(commands, call)).settings === undefined)
    throw foreign(commands.target.collection)
}

function settingsOf({ documents }: CollectionOptions): Document {
  return { format: 1, values: documents ? 'document' : 'bytes' }
}

function checkFound(found: Collection, options: CollectionOptions, name: string): void {
  const { collection, settings, hasIndex } = found
  if (collection === undefined) throw notPrepared(`There is no collection ${name}.`)
  if (settings === undefined) throw foreign(name)
  const wanted = settingsOf(options)
  if (settings['format'] !== wanted['format'])
    throw invalidConfig(`The collection ${name} is in a format that this version of unikv does not support.`)
  if (settings['values'] !== wanted['values'])
    throw invalidConfig(
      `The collection ${name} holds values of another kind (option "values"). Name another collection.`,
    )
  if (!hasIndex) throw notPrepared(`The collection ${name} has lost its index on expiresAt.`)
}

function checkCollection({ type, options }: Document, name: string): void {
  const { collation, capped, clusteredIndex } = options ?? {}
  if (type === 'collection' && collation === undefined && capped !== true && clusteredIndex === undefined)
    return
  throw invalidConfig(
    `${name} is a view, or a collection with a collation, a cap or a clustered index. Name another collection.`,
  )
}

function checkServer({ hosts, passives, msg }: Document, { durability }: CollectionOptions): void {
  const members = (hosts?.length ?? 0) + (passives?.length ?? 0)
  if (durability !== 'replicated' || members > 1 || msg === 'isdbgrid') return
  throw invalidConfig(
    "The server cannot give durability 'replicated': it is not a replica set with at least two data members.",
  )
}

function foreign(name: string): StoreError {
  return invalidConfig(`The collection ${name} was not made by unikv. Name another collection.`)
}

const remedy = 'Call prepareMongodb with these options once, or set prepare: true.'

function notPrepared(what: string): StoreError {
  return new StoreError('NOT_PREPARED', `${what} ${remedy}`)
}
