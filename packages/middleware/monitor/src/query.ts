import { checkFactoryOptions, kindOf, type OptionNames, StoreError } from '@unikv/core/adapter'

/** The name under which queries by the same attributes are counted: `by ip,at`, or `by ip,at in transactions`. */
export type QueryName = `by ${string}`

/** The attributes by which a native query selects records: what an index could help. */
export interface Query {
  /** Those of equality first, as in an index: `['ip', 'at']`. A dot leads into an object: `customer.country`. */
  readonly by: readonly string[]
  /** The table or collection. @default the dataset of the store of this name */
  readonly in?: string | undefined
}

const optionNames: OptionNames<Query> = { by: true, in: true }
const mostAttributes = 5
const attribute = /^[A-Za-z_]\w{0,62}(\.\w{1,63}){0,4}$/
const table = /^[A-Za-z_]\w{0,62}(\.[A-Za-z_]\w{0,62})?$/

/**
 * The name of a kind of query.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function queryName(query: Query): QueryName {
  checkFactoryOptions('measure', query, optionNames)
  const { by, in: place } = query
  if (!Array.isArray(by) || by.length === 0 || by.length > mostAttributes)
    throw wrong(
      `\`by\` of measure() must be a list of 1 to ${mostAttributes} attributes, got ${Array.isArray(by) ? by.length : kindOf(by)}.`,
    )
  const bad = by.find((name) => typeof name !== 'string' || !attribute.test(name))
  if (bad !== undefined)
    throw wrong(
      `\`by\` of measure() takes names of attributes such as ip or customer.country, got ${typeof bad === 'string' ? `'${bad.slice(0, 80)}'` : kindOf(bad)}.`,
    )
  if (place !== undefined && (typeof place !== 'string' || !table.test(place)))
    throw wrong('`in` of measure() must be the name of a table or collection, such as transactions.')
  return `by ${by.join(',')}${place === undefined ? '' : ` in ${place}`}`
}

/** The query that a name stands for; `undefined`: it is the name of something else. */
export function queryNamed(name: string): Query | undefined {
  const [, by, place] = /^by ([\w.,]+)(?: in ([\w.]+))?$/.exec(name) ?? []
  return by === undefined ? undefined : { by: by.split(','), ...(place === undefined ? {} : { in: place }) }
}

function wrong(sentence: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', sentence)
}
