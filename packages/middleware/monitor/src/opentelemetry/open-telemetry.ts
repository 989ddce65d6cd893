import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api'
import { type PassThrough, passThrough } from '@unikv/core'
import { flag, type OptionsOf, readOptions, valid } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { Telemetry } from './telemetry.ts'
import { traced } from './traced.ts'

const table = {
  /** @default the one that is registered, also after this was called */
  tracerProvider: provider<TracerProvider>('getTracer'),
  /** @default the one that is registered, also after this was called */
  meterProvider: provider<MeterProvider>('getMeter'),
  /**
   * Added to each span and measurement; they replace those that the layer finds, such as `db.system.name`. Never put anything
   * here that differs from call to call.
   */
  attributes: valid<Attributes>('be an object of texts, numbers and booleans', areAttributes),
  /** Keep instrumentations of drivers from making spans of their own below those of this layer. @default false */
  suppressDriverSpans: flag(false),
}

/** Settings of the layer. */
export interface OpenTelemetryOptions extends OptionsOf<typeof table> {}

/**
 * A layer that makes a span of kind CLIENT of each call, and measures `db.client.operation.duration`, by the stable semantic
 * conventions for databases. It sees what passes its place: below caches calls of the store, above them all calls. Spans of
 * drivers become children. No key or value is told.
 *
 * ```ts
 * const users = keyValue(store, [cache(), json(), openTelemetry()])
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong option
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): PassThrough {
  const settings = readOptions('openTelemetry', table, options)
  const { tracerProvider, meterProvider, attributes, suppressDriverSpans } = settings
  const providers = { tracerProvider, meterProvider }
  const own = Object.freeze({ ...attributes })
  return passThrough('openTelemetry', {
    wrap: (inner) => traced(inner, new Telemetry(inner, { providers, attributes: own, suppressDriverSpans })),
  })
}

/** An option for a provider, which has this method. */
export function provider<P>(method: string) {
  return valid<P>(
    `be a provider of OpenTelemetry, with ${method}()`,
    (given) => typeof Object(given)[method] === 'function',
  )
}

function areAttributes(given: unknown): boolean {
  return (
    isPlainObject(given) &&
    Object.values(given).every((value) => ['string', 'number', 'boolean'].includes(typeof value))
  )
}
