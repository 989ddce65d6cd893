import { StoreError } from '@unikv/core'
import { checkedMs, checkOptions } from '@unikv/core/adapter'
import type { Draws } from './draws.ts'

/** How long a user thinks: always the same, or exponential with a mean of `avgMs`, cut at `maxMs`. */
export type ThinkTime = ConstantThinkTime | ExponentialThinkTime

/** Always the same. */
export interface ConstantThinkTime {
  readonly ms: number
}

/** Short ones are frequent, long ones rare; those above `maxMs` last `maxMs`. */
export interface ExponentialThinkTime {
  /** Mean of the times before they are cut. */
  readonly avgMs: number
  /** Above `avgMs`. */
  readonly maxMs: number
}

/** Think times before and after an interaction. */
export interface ThinkTimesAround {
  /** @default none */
  readonly before?: ThinkTime | undefined
  /** @default none */
  readonly after?: ThinkTime | undefined
}

/** Think times of a session. */
export interface ThinkTimes extends ThinkTimesAround {
  /** Other times for some interactions, by name. @default those of all */
  readonly interactions?: Readonly<Record<string, ThinkTimesAround>> | undefined
}

/** The length of the next pause in milliseconds. */
export function drawnMs(time: ThinkTime | undefined, draw: Draws): number {
  if (time === undefined) return 0
  if ('ms' in time) return time.ms
  return Math.min(time.maxMs, -Math.log1p(-draw.share()) * time.avgMs)
}

/** The mean length of pauses in milliseconds: an exponential law loses what is cut off. */
export function meanMs(time: ThinkTime | undefined): number {
  if (time === undefined) return 0
  return 'ms' in time ? time.ms : time.avgMs * -Math.expm1(-time.maxMs / time.avgMs)
}

/**
 * Refuse think times that are not ones.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkThinkTimes(think: ThinkTimes | undefined, interactions: ReadonlySet<string>): void {
  if (think === undefined) return
  checkOptions('think', think, { before: true, after: true, interactions: true })
  checkAround('think', { before: think.before, after: think.after })
  for (const [name, around] of Object.entries(think.interactions ?? {})) {
    if (!interactions.has(name))
      throw wrong(`There are think times for ${name}, which is not an interaction.`)
    checkOptions(`think.interactions.${name}`, around, { before: true, after: true })
    checkAround(`think.interactions.${name}`, around)
  }
}

function checkAround(whose: string, { before, after }: ThinkTimesAround): void {
  checkThinkTime(`${whose}.before`, before)
  checkThinkTime(`${whose}.after`, after)
}

function checkThinkTime(whose: string, time: ThinkTime | undefined): void {
  if (time === undefined) return
  if ('ms' in time) {
    checkOptions(whose, time, { ms: true })
    checkedMs(`${whose}.ms`, time.ms, { least: 0, most: 2 ** 31 - 1 })
    return
  }
  checkOptions(whose, time, { avgMs: true, maxMs: true })
  checkedMs(`${whose}.avgMs`, time.avgMs)
  checkedMs(`${whose}.maxMs`, time.maxMs)
  if (!(time.maxMs > time.avgMs && Number.isFinite(time.maxMs)))
    throw wrong(`maxMs of ${whose} (${time.maxMs}) must be above its avgMs (${time.avgMs}), and finite.`)
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
