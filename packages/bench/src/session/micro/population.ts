import type { EntityDb } from '@unikv/entity'
import { anyUser } from '../model/declared-numbers.ts'
import type { Draws } from '../model/draws.ts'
import { checkedParameters, type Parameters } from '../model/parameters.ts'
import type { Population } from '../run/populate.ts'
import type { SqlDb } from '../sql/sql-db.ts'
import { groupedMicro, type MicroTypes, microAccess } from './by-entities.ts'
import { microSql } from './by-sql.ts'
import type { ContentAccess } from './calls.ts'
import { checkMicro, type MicroParameters, microParameters } from './parameters.ts'

/** Items of a set that are there from the start. */
const itemsPerSet = 50

/** The content that is there from the start, by an entity database. */
export function microPopulation(parameters: Partial<MicroParameters> = {}): readonly Population<EntityDb>[] {
  return microPopulationOf(groupedMicro, parameters)
}

/** The same by these types. */
export function microPopulationOf(
  types: MicroTypes,
  parameters: Partial<MicroParameters>,
): readonly Population<EntityDb>[] {
  return populations(parameters, microAccess(types))
}

/** The content that is there from the start, by SQL. */
export function microSqlPopulation(parameters: Partial<MicroParameters> = {}): readonly Population<SqlDb>[] {
  return populations(parameters, microSql)
}

function populations<Db>(
  given: Partial<MicroParameters>,
  access: ContentAccess<Db>,
): readonly Population<Db>[] {
  const declared = { ...microParameters, ITEMS_PER_SET: itemsPerSet }
  const values = checkedParameters({ ...given }, declared) as MicroParameters & Parameters
  checkMicro(values)
  return [users(values, access), sets(values, access)]
}

function users<Db>(values: MicroParameters, access: ContentAccess<Db>): Population<Db> {
  const { MIN_USER_ID, MIN_SEQ_NO, USER_NUM } = values
  const { ITEMS_PER_USER: items, POSTS_PER_USER: posts, SUBMISSIONS_PER_USER: submissions } = values
  return {
    name: 'user',
    first: MIN_USER_ID,
    count: USER_NUM,
    async fill(db, user, draw) {
      await access.fill(db, 'Item', user, contents(values, items, draw), MIN_SEQ_NO)
      await access.fill(db, 'Post', user, contents(values, posts, draw), MIN_SEQ_NO)
      for (const content of contents(values, submissions, draw))
        await access.create(db, 'Submission', { owner: anyUser(values, draw), sender: user, content })
    },
    async check(db, user) {
      const found = {
        items: await access.list(db, 'Item', 'owner', user),
        posts: await access.list(db, 'Post', 'owner', user),
        submissions: await access.list(db, 'Submission', 'sender', user),
      }
      return different(found, { items, posts, submissions })
    },
  }
}

function sets<Db>(values: MicroParameters, access: ContentAccess<Db>): Population<Db> {
  const { MIN_SET_ID, MIN_SEQ_NO, SET_NUM, ITEMS_PER_SET: items } = values
  return {
    name: 'set',
    first: MIN_SET_ID,
    count: SET_NUM,
    fill: (db, set, draw) => access.fill(db, 'Shared', set, contents(values, items, draw), MIN_SEQ_NO),
    check: async (db, set) => different({ items: await access.list(db, 'Shared', 'owner', set) }, { items }),
  }
}

function contents({ CONTENT_LENGTH }: MicroParameters, count: number, draw: Draws): readonly string[] {
  return Array.from({ length: count }, () => draw.text(CONTENT_LENGTH))
}

function different(
  found: Readonly<Record<string, readonly unknown[]>>,
  wanted: Readonly<Record<string, number>>,
): string | undefined {
  const name = Object.keys(wanted).find((one) => found[one]?.length !== wanted[one])
  return name === undefined ? undefined : `it has ${found[name]?.length} ${name}, not ${wanted[name]}`
}
