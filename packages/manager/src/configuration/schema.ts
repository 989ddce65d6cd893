import { z } from 'zod'
import { layerNames } from '../layers/layers.ts'

const ms = z.number().positive()
const text = z.string().min(1)

/** Two stores by name, and options that the factory checks. */
const pair = z.looseObject({ primary: text, secondary: text })

/** One store. */
const store = z.strictObject({
  url: text
    .optional()
    .describe(
      'Where the records are: a URL of `open`. A store has exactly one of `url`, `from`, `mirror`, `fallback` and `store`.',
    ),
  from: text
    .optional()
    .describe('The name of another store, whose connection and layers are shared. Its namespace is not.'),
  mirror: pair
    .optional()
    .describe(
      'Two other stores by name: writes go to both. Further options are those of `mirror` of @unikv/mirror.',
    ),
  fallback: pair
    .optional()
    .describe(
      'Two other stores by name: the second answers what the first does not. Further options are those of `fallback`.',
    ),
  store: z
    .unknown()
    .optional()
    .describe('A store that the program has made itself: in TypeScript and JavaScript only.'),
  dataset: text
    .optional()
    .describe("Which records are ours: a key prefix, folder or table. Only with `url`. Default: 'unikv'."),
  namespace: text.optional().describe('A part of the dataset.'),
  layers: z
    .array(z.unknown())
    .optional()
    .describe(
      'Layers, the outermost first: a name, `{ name: options }`, or a layer of the program. Default: none; values are bytes.',
    ),
  needs: z
    .array(text)
    .optional()
    .describe(
      'Features that the store must have, such as `scan`: one without them is refused. Only with `url`.',
    ),
  timeoutMs: ms.optional().describe('Deadline of calls that name none, in milliseconds. Default: 5000.'),
  readConsistency: text
    .optional()
    .describe(
      'Consistency level of reads that name none, such as `eventual`. Default: the level of the store.',
    ),
  graceMs: z
    .number()
    .min(0)
    .optional()
    .describe('How long closing waits for calls under way, in milliseconds. Default: 5000.'),
  monitored: z
    .boolean()
    .optional()
    .describe(
      'Whether the monitor counts its calls. Default: true, but not for the store that keeps the figures.',
    ),
})

/** The monitor. */
const monitor = z.strictObject({
  keepIn: text
    .optional()
    .describe('Name of the store that keeps the figures. Default: none; they are in memory only.'),
  flushMs: ms.optional().describe('How often they are written. Default: 5000.'),
  minutesMs: ms.optional().describe('How long summaries of a minute are kept. Default: a day.'),
  hoursMs: ms.optional().describe('How long summaries of an hour are kept. Default: 30 days.'),
  daysMs: ms.optional().describe('How long summaries of a day are kept. Default: 400 days.'),
  statisticsMs: ms.optional().describe('How often servers are asked for their statistics. Default: 30000.'),
  // These are checked by the recorder.
  machines: z
    .unknown()
    .optional()
    .describe(
      'Addresses of node_exporter by names of machines, whose processor, memory and network are watched. Default: none.',
    ),
  processName: text.optional().describe('Default: the host and the number of the process.'),
  recentCalls: z
    .int()
    .min(0)
    .max(1e6, 'it must be a whole number from 0 to 1,000,000')
    .optional()
    .describe('How many of the latest calls are kept in detail. Default: 1000.'),
  policies: z
    .unknown()
    .optional()
    .describe(
      'Promises about stores, judged every second: `{ store, operation, percentile, belowMs, over }` and others. Default: none.',
    ),
  onEvent: z
    .unknown()
    .optional()
    .describe(
      'A function that is told when a policy begins to be violated or holds again, and of a process or server that is saturated.',
    ),
  onError: z
    .unknown()
    .optional()
    .describe(
      'A function that is told of figures that could not be written. Default: a warning of the process, once.',
    ),
})

/** The page. */
const dashboard = z.strictObject({
  // These are checked by the dashboard.
  decoders: z
    .array(z.looseObject({ store: text.optional(), keys: text }))
    .optional()
    .describe(
      'How values are decoded that no layer decodes: `{ keys, as }`, such as `{ keys: session:*, as: msgpack }`, and others. Default: the first bytes decide.',
    ),
})

/** A whole configuration, with a URL or a switch written out as an object. */
const configuration = z.strictObject({
  stores: z.record(text, store),
  monitor: monitor.optional(),
  dashboard: dashboard.optional(),
})

/** A layer in a file: its name, or its name with options. */
const layer = z.union([
  z.enum(layerNames),
  z.strictObject(Object.fromEntries(layerNames.map((name) => [name, z.looseObject({}).optional()]))),
])

/** A configuration in a file. */
const file = z.strictObject({
  $schema: text.optional(),
  stores: z
    .record(
      z.string().regex(/^[\w-]+$/),
      z.union([
        text,
        store.omit({ store: true }).extend({
          layers: z
            .array(layer)
            .optional()
            .describe(store.shape.layers.description ?? ''),
        }),
      ]),
    )
    .describe('A URL, or a store with its layers, by name.'),
  monitor: z
    .union([z.boolean(), monitor.omit({ onEvent: true, onError: true })])
    .optional()
    .describe('Count calls of all stores, and keep the figures. Default: false.'),
  dashboard: dashboard.optional().describe('The page over these stores.'),
})

/** JSON Schema of a configuration in a file, for editors. */
export function fileSchema(): object {
  return z.toJSONSchema(file)
}

/** The options by section, and what they mean. */
export function describedOptions(): {
  readonly [section: string]: readonly (readonly [name: string, meaning: string])[]
} {
  const described = (shape: Readonly<Record<string, z.ZodType>>): [string, string][] =>
    Object.entries(shape).map(([name, { description = '' }]) => [name, description])
  return {
    store: described(store.shape),
    monitor: described(monitor.shape),
    dashboard: described(dashboard.shape),
  }
}

/** Checks the shape of a configuration. */
export function parsed(given: unknown): z.ZodSafeParseResult<unknown> {
  return configuration.safeParse(given)
}

/** The names that the object at a place may have. */
export function namesAt([section, name]: readonly PropertyKey[]): readonly string[] {
  if (section === undefined) return Object.keys(configuration.shape)
  if (section === 'monitor') return Object.keys(monitor.shape)
  if (section === 'dashboard') return Object.keys(dashboard.shape)
  return name === undefined ? [] : Object.keys(store.shape)
}
