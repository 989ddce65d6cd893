import type { OutputOf, Schema } from '@unikv/core'
import type { KeyPart } from '@unikv/core/keys'

/** Properties of an entity that an id or an index may consist of: texts, numbers and booleans. */
export type KeyProperty<T> = {
  [P in keyof T]-?: T[P] extends KeyPart ? P : never
}[keyof T] &
  string

/** Properties that `create` may give a number. */
export type NumberProperty<T> = {
  [P in keyof T]-?: [Extract<T[P], number>] extends [never] ? never : P
}[keyof T] &
  string

/** An index: a property, or a list of properties. */
export type IndexOn<P extends string = string> = P | readonly P[]

/**
 * A type of entities: its schema, its id, its group and its indexes.
 *
 * `I` are the properties of the id, `G` the generated one, `P` those of the group, `X` the indexes.
 */
export interface EntityType<
  T = unknown,
  I extends string = string,
  G extends string = string,
  P extends string = string,
  X = unknown,
> {
  /** Type-level only. */
  readonly '~types'?: { readonly entity: T; readonly id: I; readonly generated: G; readonly index: X }
  /** Part of every key: it must stay as it is while there are entities. */
  readonly name: string
  readonly schema: Schema<unknown>
  /** Properties of the id, in the order of keys. */
  readonly id: readonly I[]
  /** The property of the id that `create` gives a number from 1, unique within the rest of the id. */
  readonly generated: G | undefined
  /** Properties of the id that name the group. */
  readonly groupBy: readonly P[]
  /** Name of the type whose group it is: its own, or that of its parent. */
  readonly root: string
  /** Properties of each index. */
  readonly indexes: readonly (readonly string[])[]
  /**
   * The group of the entities with these properties.
   *
   * @throws {StoreError} `INVALID_ARGUMENT`
   */
  group(id: { readonly [N in P]: N extends keyof T ? T[N] : KeyPart }): Group
}

/** Any type of entities. */
export type AnyEntityType = EntityType

/** The entities that change together. `Type.group(id)` makes it. */
export interface Group {
  /** Name of the type that it belongs to. */
  readonly root: string
  /** Values of the properties that name it. */
  readonly id: readonly KeyPart[]
  /** Type-level only: an entity type is not a group. */
  readonly schema?: never
}

type Types<E extends AnyEntityType> = NonNullable<E['~types']>

/** The entities of a type. */
export type EntityOf<E extends AnyEntityType> = Types<E>['entity']

/** The id of an entity: an object with the properties of the id. An entity is one. */
export type IdOf<E extends AnyEntityType> = {
  readonly [P in Types<E>['id']]: P extends keyof EntityOf<E> ? EntityOf<E>[P] : never
}

/** The argument of `create`: an entity without the generated property. */
export type NewOf<E extends AnyEntityType> = Without<EntityOf<E>, Types<E>['generated']>

/** Each member of a union by itself keeps the properties that only it has. */
type Without<T, P extends PropertyKey> = T extends unknown ? Omit<T, P> : never

/** The indexes of a type. */
export type IndexOf<E extends AnyEntityType> = Types<E>['index']

/** The key of an index: the value of its property, or the values of its list of properties. */
export type IndexKey<E extends AnyEntityType, X> = X extends keyof EntityOf<E>
  ? EntityOf<E>[X]
  : X extends readonly unknown[]
    ? { readonly [N in keyof X]: X[N] extends keyof EntityOf<E> ? EntityOf<E>[X[N]] : never }
    : never

/** A definition of `entity`. */
export interface Definition<
  S extends Schema,
  I extends readonly string[],
  G extends string,
  P extends string,
  X extends readonly IndexOn[],
> {
  /** Any Standard Schema, such as one of zod, or `plain<User>()`. */
  readonly schema: S
  /** Properties that identify an entity, in the order of keys. */
  readonly id: I
  /** A property of the id that `create` gives a number from 1, unique within the rest of the id. @default none */
  readonly generated?: G | undefined
  /** Properties of the id that name the group, or the parent type, whose group it shares. @default the whole id */
  readonly group?: readonly P[] | { readonly groupBy: readonly P[]; readonly root: string } | undefined
  /** Properties, or lists of them, by which entities can be found. They never change. @default none */
  readonly indexes?: X | undefined
}

/** The type that `entity` makes of a definition. */
export type Defined<
  S extends Schema,
  I extends readonly string[],
  G extends string,
  P extends string,
  X extends readonly IndexOn[],
> = EntityType<OutputOf<S>, I[number], G, [P] extends [never] ? I[number] : P, X[number]>
