import { isEntry } from '../contract/entry.ts'
import type {
  FieldOrder,
  FieldPath,
  OrderValue,
  Position,
  Predicate,
  StoreQuery,
  Totals,
} from '../contract/query.ts'
import type { Found, ScanEntry } from '../contract/store.ts'
import { fieldName } from './parse.ts'
import { compareValues, placeOf, positionOf } from './reference.ts'

// Queries as SQL, for every store with documents in a column. Each field is a few columns of a derived table: the rank of its type, and its
// value as a boolean (0 or 1), a number and a text, null where it has another type. Values and names of properties are parameters.

/** The parts of a field, as expressions over the columns of the table, in the order of their parameters. */
export interface SqlField {
  readonly rank: string
  readonly boolean: string
  readonly number: string
  readonly text: string
  /** The same where the value is a text, and faster to read: a record that fails it needs no check of its type. */
  readonly rawText?: string
  readonly rawNumber?: string
  /** Number or boolean, otherwise 0, where a declared index has it. */
  readonly indexNumber?: string
  /** The first characters of the text (`headLength`), otherwise '', where a declared index has them. */
  readonly indexHead?: string
}

/** The parts of a field that an index has. */
export type IndexedSqlField = SqlField & Required<Pick<SqlField, 'indexNumber' | 'indexHead'>>

/** A value that is bound to a statement. */
export type SqlValue = string | number | Buffer

/** Puts a value into a statement: its placeholder, at this place of the text. */
type Bind = (value: SqlValue, as: 'text' | 'number' | 'bytes' | 'count') => string

/** How a database says it. */
export interface SqlDialect {
  /** The table, quoted. */
  readonly table: string
  /** The columns of a record, as statements that read answer them. `r` is the table. */
  readonly columns: readonly string[]
  /** Column of the key; it sorts by bytes. */
  readonly key: string
  /** Whether a record is live. */
  readonly live: (bind: Bind) => string
  /** The same key, for a bound that nearly all records keep: an index over keys would read all of them by it. */
  readonly aside?: (key: string) => string
  /** The end of a query whose columns are computed once for each record. */
  readonly fence?: string
  /** The placeholder of the value with this number, from 1 on. */
  placeholder(index: number, as: Parameters<Bind>[1]): string
  /** Whether a text holds another one: by its bytes, without patterns. */
  contains(text: string, wanted: string, bind: Bind): string
  /** The expressions of the field at this path of a document. */
  field(path: FieldPath, bind: Bind): SqlField
  /** Whether its functions end a text before a U+0000: then the first characters may be equal where the texts are not. */
  readonly endsAtNul?: boolean | undefined
  /** A text of the answer, for drivers that would cut it. */
  readonly whole?: ((text: string) => string) | undefined
}

/** Characters of a text that an index holds. */
export const headLength = 128

/** A statement and its values. */
export interface SqlQuery {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** The statement of a query: it answers records in order, or one row of totals (`totalsOf`). */
export function sqlOf(dialect: SqlDialect, query: StoreQuery): SqlQuery {
  return new Statement(dialect).of(query)
}

class Statement {
  readonly #dialect: SqlDialect
  readonly #values: SqlValue[] = []
  readonly #fields = new Map<string, SqlField>()
  /** The rank of fields that have one type in all records found. */
  #types: ReadonlyMap<string, number> = new Map()
  /** Fields that have one value in all of them. */
  #equal: ReadonlySet<string> = new Set()
  /** Conditions that an index may still serve. */
  #planned = mostPlanned
  /** Whether records are wanted in the order of their keys: databases may then read along these, and not by an index over fields. */
  #isByKey = false

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect
  }

  of({ start, end, where, page, of }: StoreQuery): SqlQuery {
    const { table, columns, key, live, aside = (one) => one } = this.#dialect
    const paths = [...pathsIn(where), ...(page?.orderBy ?? []).map(({ path }) => path), ...(of ? [of] : [])]
    const fields = paths.flatMap((path) => this.#define(path))
    const isNearlyAll = end === undefined
    const bounds = [
      ...(start === '' || isNearlyAll ? [] : [`r.${key} >= ${this.#bind(Buffer.from(start), 'bytes')}`]),
      ...(end === undefined ? [] : [`r.${key} < ${this.#bind(Buffer.from(end), 'bytes')}`]),
      live(this.#bind),
    ]
    const wanted = page === undefined ? [] : columns.map((column, i) => `${column} AS c${i}`)
    const from = `(SELECT ${[...wanted, ...fields, `r.${key} AS sort_key`].join(', ')} FROM ${table} AS r WHERE ${bounds.join(' AND ')}) AS f`
    this.#types = typesIn(where)
    this.#equal = new Set(
      comparisonsIn(where).flatMap(({ path, by }) => (by === 'eq' ? [fieldName(path)] : [])),
    )
    this.#isByKey = page?.orderBy.length === 0
    const conditions = [this.#condition(where)]
    if (start !== '' && isNearlyAll)
      conditions.push(`${aside('f.sort_key')} >= ${this.#bind(Buffer.from(start), 'bytes')}`)
    if (page === undefined) return this.#query(this.#totals(of, `${from} WHERE ${conditions.join(' AND ')}`))
    if (page.after !== undefined) conditions.push(...this.#after(page.after, page.orderBy))
    const order = page.orderBy.flatMap((field) => this.#order(field))
    const found = `${from} WHERE ${conditions.join(' AND ')}`
    return this.#query(
      `SELECT ${columns.map((_, i) => `f.c${i}`).join(', ')} FROM ${found} ORDER BY ${[...order, 'f.sort_key'].join(', ')} LIMIT ${this.#bind(page.limit, 'count')}`,
    )
  }

  /** The columns that decide the order, as an index has them: without those that are the same in all records found. */
  #order({ path, descending }: FieldOrder): readonly string[] {
    if (this.#equal.has(fieldName(path))) return []
    const { rank, boolean, number, text, indexNumber, indexHead } = this.#column(path)
    const type = this.#types.get(fieldName(path))
    const isIndexed = indexNumber !== undefined && indexHead !== undefined
    const [numbers, texts] = isIndexed
      ? [
          [indexNumber, indexHead],
          [indexHead, text],
        ]
      : [[number], [text]]
    const all = isIndexed ? [rank, indexNumber, ...texts] : [rank, boolean, number, text]
    const byType = [[], [], isIndexed ? numbers : [boolean], numbers, texts]
    const columns = type === undefined ? all : (byType[type] ?? [])
    return columns.map((one) => (descending ? `${one} DESC` : one))
  }

  /** The records beyond this place; where an index has the order, it begins there. */
  #after(after: Position, orderBy: readonly FieldOrder[]): readonly string[] {
    const [first] = orderBy
    const place = after.values[0]
    const begins =
      first !== undefined && place !== undefined && this.#types.get(fieldName(first.path)) === place[0]
        ? [this.#comparison(this.#column(first.path), first.descending ? '<=' : '>=', place)]
        : []
    return [...begins, this.#beyond(after, orderBy)]
  }

  #query(text: string): SqlQuery {
    return { text, values: this.#values }
  }

  #bind: Bind = (value, as) => this.#dialect.placeholder(this.#values.push(value), as)

  /** The columns of a field; none if it has them already. */
  #define(path: FieldPath): string[] {
    const name = fieldName(path)
    if (this.#fields.has(name)) return []
    const i = this.#fields.size
    const parts = Object.entries(this.#dialect.field(path, this.#bind)) as [keyof SqlField, string][]
    this.#fields.set(name, Object.fromEntries(parts.map(([part]) => [part, `f.${part}${i}`])) as never)
    return parts.map(([part, expression]) => `${expression} AS ${part}${i}`)
  }

  #column(path: FieldPath): SqlField {
    return this.#fields.get(fieldName(path)) as SqlField
  }

  #condition(predicate: Predicate): string {
    if ('parts' in predicate) {
      const { kind, parts } = predicate
      if (parts.length === 0) return kind === 'and' ? '1 = 1' : '1 = 0'
      const all = kind === 'and' ? this.#all(parts) : parts.map((part) => this.#condition(part))
      return chained(all, kind === 'and' ? ' AND ' : ' OR ')
    }
    const column = this.#column(predicate.path)
    if (predicate.kind === 'exists') return `${column.rank} ${predicate.exists ? '>' : '='} 0`
    const { by, value } = predicate
    if (by === 'contains') return this.#containing(column, String(value))
    return this.#comparison(column, operators[by], placeOf(value))
  }

  /** Only the first are put so that an index may serve them. */
  #all(parts: readonly Predicate[]): string[] {
    const before = this.#planned
    const conditions = parts.map((part) => {
      const condition = this.#condition(part)
      if (pathsIn(part).some((path) => this.#column(path).indexHead !== undefined)) this.#planned--
      return condition
    })
    this.#planned = before
    return conditions
  }

  #containing({ rank, text, rawText, indexHead }: SqlField, wanted: string): string {
    const holds = this.#dialect.contains(rawText ?? text, wanted, this.#bind)
    if (indexHead !== undefined) return `(${rank} = 4 AND ${holds})`
    return rawText === undefined ? holds : `(${holds} AND ${text} IS NOT NULL)`
  }

  /** A comparison with values of the same type. */
  #comparison(column: SqlField, operator: string, [rank, value]: OrderValue): string {
    if (value === undefined) return `${column.rank} = ${rank}`
    if (column.indexHead !== undefined && this.#planned > 0)
      return this.#indexed(column, operator, rank, value)
    const { boolean, number, text, rawText, rawNumber } = column
    if (typeof value === 'boolean') return `${boolean} ${operator} ${this.#bind(Number(value), 'number')}`
    const [raw, part, as] =
      typeof value === 'string' ? [rawText, text, 'text' as const] : [rawNumber, number, 'number' as const]
    const [compared, ...type] = raw === undefined ? [part] : [raw, `${part} IS NOT NULL`]
    return `(${[`${compared} ${operator} ${this.#bind(value, as)}`, ...type].join(' AND ')})`
  }

  /** The same, by an index that begins with type, number, first characters. */
  #indexed(
    { rank, text, rawText, indexNumber, indexHead }: SqlField,
    operator: string,
    type: number,
    value: string | number | boolean,
  ): string {
    const is = `${rank} = ${type}`
    if (typeof value !== 'string') {
      const near = operator === '=' ? ` AND ${indexHead} = ''` : ''
      return `(${is} AND ${indexNumber} ${operator} ${this.#bind(Number(value), 'number')}${near})`
    }
    // A text that does not fill the first characters compares with them as with the whole.
    const { endsAtNul = false } = this.#dialect
    const isShort = value.length < headLength && !endsAtNul
    const wide = isShort || operator === '=' ? operator : `${operator[0]}=`
    const near = `${is} AND ${indexNumber} = 0 AND ${indexHead} ${wide} ${this.#bind(headOf(value, endsAtNul), 'text')}`
    const rest = [...(rawText === undefined || !this.#isByKey ? [] : [rawText]), ...(isShort ? [] : [text])]
    return `(${[near, ...rest.map((one) => `${one} ${operator} ${this.#bind(value, 'text')}`)].join(' AND ')})`
  }

  /** Whether a record comes after this place in the order. */
  #beyond({ values, key }: Position, orderBy: readonly FieldOrder[]): string {
    const [first, ...others] = orderBy
    if (first === undefined) return `f.sort_key > ${this.#bind(Buffer.from(key), 'bytes')}`
    const place = values[0] as OrderValue
    const column = this.#column(first.path)
    const sign = first.descending ? '<' : '>'
    const beyond = [`${column.rank} ${sign} ${place[0]}`]
    if (place[1] !== undefined) beyond.push(this.#comparison(column, sign, place))
    const same = this.#comparison(column, '=', place)
    const rest = this.#beyond({ key, values: values.slice(1) }, others)
    return `(${beyond.join(' OR ')} OR (${same} AND ${rest}))`
  }

  /** Least and greatest for each type, as databases do not compare types as we do. */
  #totals(of: FieldPath | undefined, found: string): string {
    if (of === undefined) return `SELECT count(*) FROM ${found}`
    const { boolean, number, text } = this.#column(of)
    const { whole = String } = this.#dialect
    const extremes = ['g.b', 'g.n'].flatMap((one) => [`min(${one})`, `max(${one})`])
    extremes.push(whole('min(g.t)'), whole('max(g.t)'))
    const totals = ['count(*)', 'sum(g.n)', ...extremes].map((one, i) => `${one} AS a${i}`)
    return `SELECT ${totals.join(', ')} FROM (SELECT ${boolean} AS b, ${number} AS n, ${text} AS t FROM ${found} ${this.#dialect.fence ?? ''}) AS g`
  }
}

/** Most conditions of one `and` for which an index is considered: SQLite takes 27 s to plan 100 that name two values each. */
const mostPlanned = 16

/** Most conditions that follow each other: each takes one of the 1,000 levels that SQLite allows for an expression. */
const longestChain = 16

/** Conditions in groups of groups. */
function chained(conditions: readonly string[], by: string): string {
  if (conditions.length <= longestChain) return `(${conditions.join(by)})`
  const size = Math.ceil(conditions.length / longestChain)
  const groups = Array.from({ length: longestChain }, (_, i) => conditions.slice(i * size, (i + 1) * size))
  return chained(
    groups.flatMap((group) => (group.length === 0 ? [] : [chained(group, by)])),
    by,
  )
}

const operators = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** The first characters of a text, as databases count them. */
function headOf(text: string, endsAtNul: boolean): string {
  const head = Array.from(text.slice(0, 2 * headLength))
    .slice(0, headLength)
    .join('')
  return endsAtNul ? head.replace(/\0.*/s, '') : head
}

/** The rank of the fields that have one type in all records that this finds. */
export function typesIn(predicate: Predicate): ReadonlyMap<string, number> {
  return new Map(comparisonsIn(predicate).map(({ path, value }) => [fieldName(path), placeOf(value)[0]]))
}

/** The comparisons that hold for all records that this finds. */
function comparisonsIn(predicate: Predicate): readonly Extract<Predicate, { readonly kind: 'compare' }>[] {
  if (predicate.kind === 'and') return predicate.parts.flatMap(comparisonsIn)
  return predicate.kind === 'compare' ? [predicate] : []
}

function pathsIn(predicate: Predicate): readonly FieldPath[] {
  return 'parts' in predicate ? predicate.parts.flatMap(pathsIn) : [predicate.path]
}

/** The totals in the row of a statement without a page. */
export function totalsOf(row: readonly unknown[]): Totals {
  const [count, sum, ...extremes] = row
  const places = extremes.map((value, i): OrderValue | undefined => {
    if (value === null || value === undefined) return undefined
    if (i < 2) return [2, Number(value) === 1]
    return i < 4 ? [3, Number(value)] : [4, value as string]
  })
  const of = (pick: 0 | 1): OrderValue | undefined =>
    places
      .filter((place, i): place is OrderValue => i % 2 === pick && place !== undefined)
      .sort((a, b) => (pick === 0 ? compareValues(a, b) : compareValues(b, a)))[0]
  return { count: Number(count), sum: Number(sum ?? 0), min: of(0)?.[1], max: of(1)?.[1] }
}

/** The answer of a store: records in order, each with its document. `rows` are those of the answer, some of which may not be records. */
export function foundOf<V>(
  { page }: StoreQuery,
  entries: readonly ScanEntry<V>[],
  rows: number = entries.length,
): Found<V> {
  const last = entries.at(-1)
  if (page === undefined || last === undefined || rows < page.limit) return { entries }
  const { key, entry } = last
  const value = entry !== undefined && 'value' in entry && isEntry(entry) ? entry.value : undefined
  return { entries, last: positionOf(key, value, page.orderBy) }
}
