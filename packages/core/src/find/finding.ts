import { StoreError } from '../contract/errors.ts'
import type { Position, QueryPage, StoreQuery, Totals } from '../contract/query.ts'
import { kindOf } from '../options/check-options.ts'
import { type Bound, cursorOf, positionIn } from './cursor.ts'
import type { AggregateOptions, FindOptions } from './options.ts'
import { orderOf, pathOf, predicateOf } from './parse.ts'
import { matches, orderValueAt, PageOf, positionOf, TotalsOf } from './reference.ts'

const defaultLimit = 100
const mostRecords = 10_000

/** The records that a query is about. */
type Range = Pick<StoreQuery, 'start' | 'end'>

/** A query for a page: checked, for a store that runs it, or over records that are handed in one by one. */
export class Finding<T> {
  readonly query: StoreQuery & { readonly page: QueryPage }
  readonly #bound: Bound
  readonly #page: PageOf<T>

  /**
   * @param store Whose the cursor is
   * @throws {StoreError} `INVALID_ARGUMENT`
   */
  constructor(store: string, range: Range, options: FindOptions) {
    const orderBy = orderOf(options.orderBy)
    const limit = limitOf(options.limit)
    const query = { ...range, where: predicateOf(options.where) }
    this.#bound = { store, query, orderBy }
    const after = options.after === undefined ? undefined : positionIn(this.#bound, options.after)
    this.query = { ...query, page: { orderBy, limit, after } }
    this.#page = new PageOf(this.query.page)
  }

  /** Look at a record; `item` is answered if it is found. */
  see(key: string, value: unknown, item: T): void {
    const { where, page } = this.query
    if (matches(value, where)) this.#page.add(positionOf(key, value, page.orderBy), item)
  }

  /** The page of all that was seen. */
  end(): { readonly items: readonly T[]; readonly cursor: string | undefined } {
    const { items, last } = this.#page.end()
    return { items, cursor: this.cursorAt(last) }
  }

  /** The cursor that continues after this place; none at the end. */
  cursorAt(last: Position | undefined): string | undefined {
    return last && cursorOf(this.#bound, last)
  }
}

/** A query for totals, as `Finding` is one for a page. */
export class Aggregating {
  readonly query: StoreQuery
  readonly #totals = new TotalsOf()

  /** @throws {StoreError} `INVALID_ARGUMENT` */
  constructor(range: Range, { where, of }: AggregateOptions) {
    this.query = { ...range, where: predicateOf(where), of: of === undefined ? undefined : pathOf(of) }
  }

  /** Look at a record. */
  see(value: unknown): void {
    const { where, of } = this.query
    if (matches(value, where)) this.#totals.add(of && orderValueAt(value, of))
  }

  /** The totals of all that was seen. */
  end(): Totals {
    return this.#totals.end()
  }
}

/** @throws {StoreError} `INVALID_ARGUMENT` */
export function limitOf(limit: unknown = defaultLimit): number {
  if (Number.isSafeInteger(limit) && (limit as number) > 0 && (limit as number) <= mostRecords)
    return limit as number
  throw new StoreError(
    'INVALID_ARGUMENT',
    `\`limit\` must be a whole number from 1 to 10,000, got ${typeof limit === 'number' ? limit : kindOf(limit)}.`,
  )
}
