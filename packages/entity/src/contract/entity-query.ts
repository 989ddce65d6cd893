import type { AggregateOptions, FindOptions, Scalar, ScanPage } from '@unikv/core'
import type { AnyEntityType, EntityOf } from '../definition/entity-type.ts'

/** Settings of one call. */
export interface EntityCallSettings {
  /** The deadline of the whole call, with all attempts, in milliseconds. @default that of the database */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Conditions on the properties of entities, as `Where` of KeyValue: all of them must hold. A wrong property, or a value of another type, does not compile. */
export type EntityWhere<T> = { readonly [P in PathOf<T>]?: Condition<At<T, P>> | undefined } & {
  readonly and?: readonly EntityWhere<T>[] | undefined
  readonly or?: readonly EntityWhere<T>[] | undefined
}

/** Settings of `find`. Conditions with equal values for all properties of an index, or of the group, tell which entities are read. */
export interface EntityQuery<E extends AnyEntityType = AnyEntityType>
  extends EntityCallSettings,
    Pick<FindOptions, 'limit' | 'after'> {
  /** @default all entities of the type */
  readonly where?: EntityWhere<EntityOf<E>> | undefined
  /** Properties, `{ desc: property }` from the greatest to the least. Equal entities follow each other by id. @default by id */
  readonly orderBy?: readonly (PathOf<EntityOf<E>> | { readonly desc: PathOf<EntityOf<E>> })[] | undefined
  /** Allow a query that no index and no group bounds: all entities in groups of this kind are read. @default false */
  readonly scan?: boolean | undefined
}

/** Settings of `aggregate`: as those of `find`. */
export interface EntityTotals<E extends AnyEntityType = AnyEntityType>
  extends EntityCallSettings,
    Pick<EntityQuery<E>, 'where' | 'scan'> {
  /** The property of `sum`, `min` and `max`. */
  readonly of?: PathOf<EntityOf<E>> | undefined
}

/** The entities found, and a cursor that continues after them. */
export type EntityPage<E extends AnyEntityType> = ScanPage<EntityOf<E>>

/** The same at run time. */
export type AnyEntityQuery = EntityCallSettings & FindOptions & AggregateOptions

/** Paths of properties, with dots between names: through objects, and not into lists. */
type PathOf<T, Depth extends readonly unknown[] = []> = Depth['length'] extends 4
  ? never
  : T extends object
    ? {
        [P in keyof T & string]: NameIn<P> | `${NameIn<P>}.${PathOf<Inner<T[P]>, [...Depth, 0]>}`
      }[keyof T & string]
    : never

/** A name as a path has it: `\.` is a dot in a name. */
type NameIn<P extends string> = P extends `${infer First}.${infer Rest}` ? `${First}\\.${NameIn<Rest>}` : P

/** Objects, into which a path leads. */
type Inner<T> = T extends readonly unknown[] | Date ? never : T extends object ? T : never

type At<T, P extends string> = T extends object
  ? {
      [N in keyof T & string]: P extends NameIn<N>
        ? T[N]
        : P extends `${NameIn<N>}.${infer Rest}`
          ? At<NonNullable<T[N]>, Rest>
          : never
    }[keyof T & string]
  : never

/** Dates are compared as their text. */
type Told<V> = Extract<V, Scalar> | (Extract<V, Date> extends never ? never : string)

type Condition<V> =
  | Told<V>
  | {
      readonly eq?: Told<V> | undefined
      readonly gt?: Exclude<Told<V>, null> | undefined
      readonly gte?: Exclude<Told<V>, null> | undefined
      readonly lt?: Exclude<Told<V>, null> | undefined
      readonly lte?: Exclude<Told<V>, null> | undefined
      readonly in?: readonly Told<V>[] | undefined
      readonly prefix?: Extract<Told<V>, string> extends never ? never : string
      readonly contains?: Extract<Told<V>, string> extends never ? never : string
      readonly exists?: boolean | undefined
    }
