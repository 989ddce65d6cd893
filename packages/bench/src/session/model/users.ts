import { checkOptions, invalidConfig } from '@unikv/core/adapter'
import type { Draws } from './draws.ts'
import { checkFlag, defined } from './options.ts'
import { intPart, type Place } from './parameters.ts'

/** The users of sessions. Each session has one of them. */
export interface Users {
  /** The number of the first one. @default 1 */
  readonly first?: number | undefined
  /** How many there are at the start. @default 1 */
  readonly count?: number | undefined
  /** The share of sessions of users that were not there before, from 0 to 1. They may come again. @default 0 */
  readonly newRatio?: number | undefined
  /**
   * Each session of those at the same time has users of its own, so that no two work for one user.
   * @default false
   */
  readonly partition?: boolean | undefined
}

/** Users with numbers for all. */
export type CheckedUsers = { readonly [Name in keyof Required<Users>]: NonNullable<Users[Name]> }

/**
 * Users that are checked, with defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkedUsers(users: Users = {}, defaults: Users = {}): CheckedUsers {
  checkOptions('users', users, { first: true, count: true, newRatio: true, partition: true })
  const { first = 1, count = 1, newRatio = 0, partition = false } = { ...defaults, ...defined(users) }
  if (!Number.isSafeInteger(first) || first < 0)
    throw invalidConfig(`first of users must be a whole number of 0 or more, got ${String(first)}.`)
  if (!Number.isSafeInteger(count) || count < 1)
    throw invalidConfig(`count of users must be a whole number of 1 or more, got ${String(count)}.`)
  if (!Number.isSafeInteger(first + count))
    throw invalidConfig(`first (${first}) and count (${count}) of users give numbers that are not exact.`)
  if (!(typeof newRatio === 'number' && newRatio >= 0 && newRatio <= 1))
    throw invalidConfig(`newRatio of users must be from 0 to 1, got ${String(newRatio)}.`)
  checkFlag('partition of users', partition)
  return { first, count, newRatio, partition }
}

/** A pool of users for the sessions of one process. New ones of several places never have the same number. */
export class UserPool {
  readonly #users: CheckedUsers
  readonly #places: number
  /** How many new users each place has had. */
  readonly #newOf: number[] = []
  /** New users, which may come again. */
  readonly #added: number[] = []

  /** @param places sessions at the same time, in all processes together */
  constructor(users: CheckedUsers, places: number) {
    this.#users = users
    this.#places = places
  }

  /** New users of all sessions. */
  get added(): readonly number[] {
    return this.#added
  }

  /** The user of the next session at a place. */
  next(place: Place, draw: Draws): number {
    const { first, count, newRatio, partition } = this.#users
    if (newRatio > 0 && draw.chance(newRatio)) return this.#new(place.index)
    if (partition) return this.#own(place, draw)
    const drawn = draw.int(0, count + this.#added.length - 1)
    return drawn < count ? first + drawn : (this.#added[drawn - count] as number)
  }

  #new(index: number): number {
    const { first, count } = this.#users
    const before = this.#newOf[index] ?? 0
    this.#newOf[index] = before + 1
    const user = first + count + index + before * this.#places
    this.#added.push(user)
    return user
  }

  #own(place: Place, draw: Draws): number {
    const { first, count } = this.#users
    const { min, max } = intPart(first, first + count - 1, place)
    const news = this.#newOf[place.index] ?? 0
    const drawn = draw.int(min, max + news)
    return drawn <= max ? drawn : first + count + place.index + (drawn - max - 1) * this.#places
  }
}
