import { newVersion, StoreError } from '@unikv/core'
import { callOptions, internalKey, isUserKey, ownerKey } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { Reconnecting } from '../client/reconnecting.ts'
import { inTime, isReady } from '../client/redis-connection.ts'
import { translate } from '../errors.ts'
import { keyOf } from '../walk.ts'
import type { RedisTrackingListener, RedisTrackingMember } from './tracking-bus.ts'
import {
  beat,
  closeLink,
  linkEnd,
  makeLink,
  openLink,
  type TrackingLink,
  type TrackingPlace,
} from './tracking-link.ts'

/** Settings of a member. */
export interface TrackingSettings {
  readonly place: TrackingPlace
  readonly silenceMs: number
  readonly onRefused: (error: StoreError) => void
}

/** Opens both connections again and again, and reads what comes. */
export class TrackingMember implements RedisTrackingMember {
  readonly #settings: TrackingSettings
  readonly #listener: RedisTrackingListener
  readonly #id = newVersion()
  /** Prefix of the keys of its pings. */
  readonly #pings: string
  /** Key whose change tells all members to drop everything; the same for each of them. */
  readonly #all = internalKey('marker', '', 'all')
  #link: TrackingLink | undefined
  #refusal: string | undefined
  /** When a ping was sent that has not come back. */
  #waitingSince: number | undefined
  readonly #lives: Reconnecting

  constructor(settings: TrackingSettings, listener: RedisTrackingListener) {
    this.#settings = settings
    this.#listener = listener
    const key = this.#pingKey('')
    this.#pings = key.slice(0, key.lastIndexOf('\u0000'))
    this.#lives = new Reconnecting((signal) => this.#live(signal))
  }

  /** The server tells of keys. A change of a key that all members know tells that all keys are void. */
  async tell(writes: readonly unknown[] | 'all'): Promise<void> {
    if (writes === 'all') await beat(this.#ready(), this.#settings.place.prefix + this.#all)
  }

  async ping(token: number): Promise<void> {
    const link = this.#ready()
    if (performance.now() - (this.#waitingSince ??= performance.now()) > this.#settings.silenceMs)
      return closeLink(link)
    await this.#beat(link, token)
  }

  async leave(): Promise<void> {
    await this.#lives.close()
  }

  #ready(): TrackingLink {
    if (this.#link !== undefined && isReady(this.#link.commands)) return this.#link
    throw new StoreError('UNAVAILABLE', 'Keys are not tracked now; nothing was sent.')
  }

  /** One life of both connections; whether keys were ever tracked. */
  async #live(signal: AbortSignal): Promise<boolean> {
    const { place } = this.#settings
    let link: TrackingLink | undefined
    const hangUp = (): void => void (link && closeLink(link))
    signal.addEventListener('abort', hangUp)
    try {
      link = await makeLink(place)
      const end = linkEnd(link)
      const call = callOptions({ deadlineAt: performance.now() + place.connectTimeoutMs, signal })
      await openLink(link, place.prefix, (message) => this.#heard(message), call)
      await inTime(this.#beat(link, 0), call)
      this.#refusal = undefined
      this.#waitingSince = undefined
      this.#link = link
      this.#listener.up()
      await end
      return true
    } catch (error) {
      this.#note(translate(error, false))
      return false
    } finally {
      signal.removeEventListener('abort', hangUp)
      if (this.#link !== undefined) this.#listener.down()
      this.#link = undefined
      if (link !== undefined) await closeLink(link)
    }
  }

  /** A ping is a change of a key of its own: what was changed before it is told before it, or with it. */
  async #beat(link: TrackingLink, token: number): Promise<void> {
    try {
      await beat(link, this.#settings.place.prefix + this.#pingKey(`${token}`))
    } catch (error) {
      this.#waitingSince = undefined
      this.#note(translate(error, false))
      throw error
    }
  }

  /** Keys, `null` for all of them, or what somebody published there. */
  #heard(message: unknown): void {
    if (!isNames(message)) return this.#listener.missed()
    const writes: { readonly key: string; readonly version: undefined }[] = []
    let token = 0
    for (const name of message) {
      const stored = keyOf(name, this.#settings.place.prefix)
      if (stored === undefined) continue
      if (stored === this.#all) this.#listener.missed()
      token = Math.max(token, this.#tokenOf(stored))
      const key = isUserKey(stored) ? stored : ownerKey(stored)
      if (key !== undefined && key !== '') writes.push({ key, version: undefined })
    }
    if (writes.length > 0) this.#listener.written(writes)
    // Keys stand in no order of time in a message: its ping comes last.
    if (token > 0) this.#echoed(token)
  }

  /** The token of a ping of this member; 0: it is none. */
  #tokenOf(stored: string): number {
    return stored.startsWith(this.#pings) ? Number.parseInt(stored.slice(this.#pings.length), 10) : 0
  }

  #pingKey(token: string): string {
    return internalKey('marker', '', `${this.#id} ${token}`)
  }

  #echoed(token: number): void {
    this.#waitingSince = undefined
    this.#listener.echo(token)
  }

  /** Tells the owner of the tracking, once, of errors that do not pass by themselves. */
  #note(error: StoreError): void {
    if (!['ACCESS_DENIED', 'UNSUPPORTED', 'INVALID_CONFIG'].includes(error.code)) return
    if (error.message === this.#refusal) return
    this.#refusal = error.message
    this.#settings.onRefused(error)
  }
}

function isNames(message: unknown): message is readonly Buffer[] {
  return Array.isArray(message) && message.every((name) => Buffer.isBuffer(name))
}
