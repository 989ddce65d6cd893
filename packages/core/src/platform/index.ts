// Parts of the platform that stores and layers use: timers, clocks and abort controllers as they were when
// it was loaded, and what a value is in any realm.
export { lostMs, performance, watchLost } from './heartbeat.ts'
export { extendsNone, isBytes, isError, isPlainObject } from './realms.ts'
export { AbortController, AbortSignal, type Told, unwatch, watch } from './signals.ts'
export { Silence } from './silence.ts'
export {
  agingClock,
  agingFrom,
  clearInterval,
  clearTimeout,
  monotonicClock,
  nextTick,
  nextTurn,
  type PauseOptions,
  pause,
  queueMicrotask,
  replaceTimers,
  setImmediate,
  setInterval,
  setTimeout,
  type TimerSource,
  wallClock,
} from './timers.ts'
