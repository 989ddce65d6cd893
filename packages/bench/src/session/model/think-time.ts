import { checkedMs, checkOptions, invalidConfig } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { Draws } from './draws.ts'

/** How long a user thinks: always the same, or exponential with a mean of `avgMs`, cut at `maxMs`. */
export type ThinkTime =
  | { readonly ms: number }
  /** Short ones are frequent, long ones rare; those above `maxMs`, which is above `avgMs`, last `maxMs`. */
  | { readonly avgMs: number; readonly maxMs: number }

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

/** The think times of one interaction: its own, and those of all where it has none. */
export function thinkAround(think: ThinkTimes, name: string): ThinkTimesAround {
  const own = think.interactions?.[name]
  return { before: own?.before ?? think.before, after: own?.after ?? think.after }
}

/** The length of the next pause in milliseconds. */
export function drawnMs(time: ThinkTime | undefined, draw: Draws): number {
  if (time === undefined) return 0
  if (isConstant(time)) return time.ms
  return Math.min(time.maxMs, -Math.log1p(-draw.share()) * time.avgMs)
}

/**
 * Refuse think times that are not ones.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkThinkTimes(think: ThinkTimes | undefined, interactions: ReadonlySet<string>): void {
  if (think === undefined) return
  checkOptions('think', think, { before: true, after: true, interactions: true })
  checkAround('think', think)
  const { interactions: own = {} } = think
  if (!isPlainObject(own))
    throw invalidConfig(
      'think.interactions must be an object with think times by the name of an interaction.',
    )
  for (const [name, around] of Object.entries(own)) {
    if (!interactions.has(name))
      throw invalidConfig(`There are think times for ${name}, which is not an interaction.`)
    checkOptions(`think.interactions.${name}`, around, { before: true, after: true })
    checkAround(`think.interactions.${name}`, around ?? {})
  }
}

function checkAround(whose: string, { before, after }: ThinkTimesAround): void {
  checkThinkTime(`${whose}.before`, before)
  checkThinkTime(`${whose}.after`, after)
}

function checkThinkTime(whose: string, time: ThinkTime | undefined): void {
  if (time === undefined) return
  checkOptions(whose, time, { ms: true, avgMs: true, maxMs: true })
  if (isConstant(time)) {
    checkOptions(whose, time, { ms: true })
    checkedMs(`${whose}.ms`, time.ms, { least: 0, most: 2 ** 31 - 1 })
    return
  }
  checkOptions(whose, time, { avgMs: true, maxMs: true })
  checkedMs(`${whose}.avgMs`, time.avgMs)
  checkedMs(`${whose}.maxMs`, time.maxMs)
  if (!(time.maxMs > time.avgMs && Number.isFinite(time.maxMs)))
    throw invalidConfig(
      `maxMs of ${whose} (${time.maxMs}) must be above its avgMs (${time.avgMs}), and finite.`,
    )
}

function isConstant(time: ThinkTime): time is { readonly ms: number } {
  return 'ms' in time && time.ms !== undefined
}
