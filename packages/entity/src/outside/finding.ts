import type { Groups } from '@unikv/core'
import { type Call, kindOf, pathOf, StoreError } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { AnyEntityQuery } from '../contract/entity-query.ts'
import { isKeyPart, textOf } from '../definition/key-parts.ts'
import { entityKeyOf, groupName, groupOf, type Index } from '../layout/layout.ts'
import type { IndexValues } from '../layout/stored-entity.ts'
import type { Known } from '../layout/types.ts'
import { eachGroup } from './each-group.ts'
import { outsideEntities } from './outside-reads.ts'

/** A query, the call that it is, and its name. */
interface Asked {
  readonly operation: string
  readonly query: AnyEntityQuery
  readonly call: Call
}

/** Entities that are read together, and groups at the same time. */
const [pageSize, lanes] = [1_000, 8]

/**
 * Show each entity of a type that a query may find: those of the index or the group for which it has equal values, or else all.
 *
 * @throws {StoreError} `UNSUPPORTED` if it has none, and does not allow to read all
 */
export async function eachCandidate(
  groups: Groups,
  known: Known,
  { operation, query, call }: Asked,
  see: (entity: unknown) => void,
): Promise<void> {
  const { layout } = known
  const { type } = layout
  const { scan = false } = query
  if (typeof scan !== 'boolean') throw notAFlag(scan)
  const given = givenOf(query.where)
  const group = has(given, type.groupBy) ? groupName(groupOf(layout, given)) : undefined
  if (group !== undefined) return entitiesIn(groups, known, group, call, see)
  const index = layout.outside.find(({ on }) => has(given, on))
  if (index !== undefined) {
    const values = pick(given, index)
    const found = { index, values, limit: Number.POSITIVE_INFINITY, after: undefined }
    for (const entity of await outsideEntities(groups, known, found, call)) see(entity)
    return
  }
  if (!scan) throw wouldScan(known, operation)
  const each = (name: string): Promise<void> => entitiesIn(groups, known, name, call, see)
  const damaged = await eachGroup(groups, `e${textOf([type.root])}`, call, each, lanes)
  if (damaged !== undefined) throw damaged
}

async function entitiesIn(
  groups: Groups,
  { layout, codec }: Known,
  group: string,
  call: Call,
  see: (entity: unknown) => void,
): Promise<void> {
  const prefix = entityKeyOf(layout, '')
  let after: string | undefined
  do {
    const page = await groups.list(group, { prefix, after, limit: pageSize }, call)
    for (const entity of await codec.decodeAll(page.map(({ value }) => value))) see(entity)
    after = page.length < pageSize ? undefined : page.at(-1)?.key
  } while (after !== undefined)
}

/** Properties for which all conditions name one value. A path of several names leads into one. */
function givenOf(where: unknown): Readonly<Record<string, unknown>> {
  const conditions = Object.entries(Object(where) as object)
  const equal = conditions.flatMap(([path, condition]) => {
    const value: unknown = isKeyPart(condition) ? condition : eqOf(condition)
    const [name = '', ...inner] = isKeyPart(value) ? pathOf(path) : []
    return isKeyPart(value) && inner.length === 0 ? [[name, value] as const] : []
  })
  return Object.fromEntries(equal)
}

function eqOf(condition: unknown): unknown {
  return isPlainObject(condition) ? condition['eq'] : undefined
}

function has(given: Readonly<Record<string, unknown>>, properties: readonly string[]): boolean {
  return properties.every((property) => Object.hasOwn(given, property))
}

function pick(given: Readonly<Record<string, unknown>>, { on }: Index): IndexValues {
  return Object.fromEntries(on.map((property) => [property, given[property]])) as IndexValues
}

function notAFlag(scan: unknown): StoreError {
  return new StoreError('INVALID_ARGUMENT', `\`scan\` must be true or false, got ${kindOf(scan)}.`)
}

function wouldScan({ layout: { type, outside } }: Known, operation: string): StoreError {
  const ways = [type.groupBy, ...outside.map(({ on }) => on)].map((on) => on.join(' and ')).join(', or of ')
  const message = `${operation}() would read all entities in groups of ${type.root}. Give \`where\` equal values of ${ways}, or allow it by scan: true.`
  return new StoreError('UNSUPPORTED', message, { operation })
}
