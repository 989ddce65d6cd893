import { z } from 'zod'

const ms = z.number().positive()
const text = z.string().min(1)

/** Two stores by name, and options that the factory checks. */
const pair = z.looseObject({ primary: text, secondary: text })

/** One store. */
const store = z.strictObject({
  url: text.optional(),
  store: z.unknown().optional(),
  from: text.optional(),
  mirror: pair.optional(),
  fallback: pair.optional(),
  dataset: text.optional(),
  namespace: text.optional(),
  layers: z.array(z.unknown()).optional(),
  needs: z.array(text).optional(),
  timeoutMs: ms.optional(),
  graceMs: z.number().min(0).optional(),
  monitored: z.boolean().optional(),
})

/** The monitor. */
const monitor = z.strictObject({
  keepIn: text.optional(),
  flushMs: ms.optional(),
  minutesMs: ms.optional(),
  hoursMs: ms.optional(),
  daysMs: ms.optional(),
  processName: text.optional(),
  recentCalls: z.int().min(0).optional(),
  // Checked by the recorder.
  policies: z.unknown().optional(),
  onEvent: z.unknown().optional(),
  onError: z.unknown().optional(),
})

/** A whole configuration, with a URL or a switch written out as an object. */
const configuration = z.strictObject({
  stores: z.record(text, store),
  monitor: monitor.optional(),
})

/** Checks the shape of a configuration. */
export function parsed(given: unknown): z.ZodSafeParseResult<unknown> {
  return configuration.safeParse(given)
}

/** The names that the object at a place may have. */
export function namesAt([section, name]: readonly PropertyKey[]): readonly string[] {
  if (section === undefined) return Object.keys(configuration.shape)
  if (section === 'monitor') return Object.keys(monitor.shape)
  return name === undefined ? [] : Object.keys(store.shape)
}
