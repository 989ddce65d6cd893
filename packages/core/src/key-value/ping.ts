import { type Awaitable, andThen } from '../contract/awaitable.ts'
import { monotonicClock } from '../platform/timers.ts'
import { levelPastCaches } from '../stack/layers-of.ts'
import { checkCallOptions } from './call-settings.ts'
import type { Direct } from './direct.ts'
import { foundOf } from './finish.ts'
import type { CallSettings } from './settings.ts'

/** A key that nothing is ever written to. */
const key = '\u0002ping'

/** `KeyValue.ping`: a read of a key that is never there, past all caches. */
export function ping<K, V>(direct: Direct<K, V>, settings: CallSettings = {}): Awaitable<number> {
  checkCallOptions('ping', settings)
  const { engine } = direct
  const { consistency = levelPastCaches(engine.store) } = settings
  const begun = monotonicClock()
  const answer = engine.read(
    'ping',
    [{ key, head: true }],
    engine.call({ ...settings, consistency }),
    foundOf,
  )
  return andThen(answer, () => monotonicClock() - begun)
}
