import type { CallSettings, Read } from '@unikv/core'
import type { NewChange } from '@unikv/core/adapter'
import { mostItems, names, protocol } from '../protocol/headers.ts'
import { problemOf } from '../protocol/problems.ts'
import { type WireRead, wireRead, wireWrite } from '../protocol/wire.ts'
import { demandKey, demandRight } from './access.ts'
import { badRequest, refuseOthers } from './refused.ts'
import { type Asked, demandChange, flagIn, jsonIn, settingsOf, stepsOf } from './request.ts'
import { Room } from './room.ts'

type Fields = Readonly<Record<string, unknown>>

/** `POST …/reads`: `{ "reads": [{ "key": … }] }`. Results are aligned with the items. */
export async function readMany(asked: Asked): Promise<Response> {
  demandRight(asked.access, 'read')
  const { reads, namespace, ...others } = await jsonIn(asked)
  refuseOthers(others)
  const keyOf = keysIn(asked, namespace)
  const items = itemsIn('reads', reads).map((item) => readIn(item, keyOf(item)))
  if (new Set(items.map(({ key }) => key)).size < items.length)
    throw badRequest('A batch has the same key twice. Pass each key once.')
  const settings = stepsOf(asked)
  const room = new Room(asked.limits.maxBodyBytes)
  const results: WireRead[] = []
  while (results.length < items.length && !room.isFull) {
    const step = items.slice(results.length, results.length + room.step)
    results.push(...(await wiresOf(asked, step, settings, room)))
  }
  const left: WireRead = { error: problemOf(room.tooMuch()) }
  return jsonAnswer({ results: items.map((_, i) => (i < results.length ? results[i] : left)) })
}

async function wiresOf(
  { served, query }: Asked,
  reads: readonly Read[],
  settings: () => CallSettings,
  room: Room,
): Promise<readonly WireRead[]> {
  const asBytes = flagIn(query, 'bytes', false)
  const wires: WireRead[] = []
  for (const result of await served.records.read(reads, settings()))
    wires.push(await wireRead(result, (value) => served.toWire(value, asBytes, room)))
  return wires
}

/** `POST …/writes`: `{ "writes": [{ "type": "set", "key": …, "value": … }], "atomic": false }`. */
export async function writeMany(asked: Asked): Promise<Response> {
  demandChange(asked)
  const { writes, namespace, atomic = false, ...others } = await jsonIn(asked)
  refuseOthers(others)
  const { records } = asked.served
  if (atomic !== false && atomic !== true) throw badRequest('atomic must be true or false.')
  if (atomic && records.store.capabilities.batch.atomicity !== 'all')
    throw badRequest('This store does not write batches as a whole.')
  const keyOf = keysIn(asked, namespace)
  const items = itemsIn('writes', writes)
  const changes = await Promise.all(items.map((item) => changeIn(asked, item, keyOf(item))))
  const results = await records.write(changes, settingsOf(asked))
  return jsonAnswer({ results: results.map(wireWrite) })
}

/** An answer in JSON. */
export function jsonAnswer(body: unknown): Response {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    [names.protocol]: protocol,
  }
  return new Response(JSON.stringify(body), { headers })
}

function readIn({ key: _, canonical: __, ifNotVersion, head = false, ...others }: Fields, key: string): Read {
  refuseOthers(others)
  if (typeof head !== 'boolean' || (ifNotVersion !== undefined && typeof ifNotVersion !== 'string'))
    throw badRequest('`head` must be true or false, and `ifNotVersion` a version.')
  return { key, ifNotVersion, head }
}

async function changeIn({ served }: Asked, item: Fields, key: string): Promise<NewChange> {
  const { type, key: _, canonical: __, version, ifVersion, ...others } = item
  const change = { key, version, ifVersion }
  if (type === 'delete') {
    refuseOthers(others)
    return { type, ...change }
  }
  const { ttlMs, expiresAt, ...own } = others
  const lasting = { ...change, ttlMs, expiresAt }
  if (type === 'set') return { type, ...lasting, value: await served.fromWire(own) }
  if (type !== 'touch' && type !== 'increment')
    throw badRequest('Each of `writes` has the type set, delete, touch or increment.')
  const { by, initial, ...unknown } = own
  refuseOthers(type === 'touch' ? own : unknown)
  return { type, ...lasting, by, initial }
}

/** The canonical key of an item, which its caller may use. */
function keysIn({ served, access }: Asked, namespace: unknown): (item: Fields) => string {
  const names = namesIn(namespace)
  return ({ key, canonical }) => {
    if ((key === undefined) === (canonical === undefined)) throw badRequest('Each item has one `key`.')
    const own = typeof canonical === 'string' ? canonical : served.canonical(key, names)
    demandKey(access, own)
    return own
  }
}

/** The names of a namespace in a body, from the outermost on. */
export function namesIn(namespace: unknown = []): readonly string[] {
  const isNames = Array.isArray(namespace) && namespace.every((name) => typeof name === 'string')
  if (!isNames) throw badRequest('namespace must be a list of names.')
  return namespace
}

function itemsIn(name: string, given: unknown): readonly Fields[] {
  const isList = Array.isArray(given) && given.every((one) => typeof one === 'object' && one !== null)
  if (!isList) throw badRequest(`${name} must be a list of objects.`)
  if (given.length === 0 || given.length > mostItems)
    throw badRequest(`${name} must have 1 to ${mostItems} items.`)
  return given
}
