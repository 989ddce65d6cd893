import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api'
import { type PassThrough, passThrough, StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { Telemetry } from './telemetry.ts'
import { traced } from './traced.ts'

/** Settings of the layer. */
export interface OpenTelemetryOptions {
  /** @default the one that is registered, also after this was called */
  readonly tracerProvider?: TracerProvider | undefined
  /** @default the one that is registered, also after this was called */
  readonly meterProvider?: MeterProvider | undefined
  /**
   * Added to each span and measurement; they replace those that the layer finds, such as `db.system.name`. Never put anything
   * here that differs from call to call.
   */
  readonly attributes?: Attributes | undefined
  /** Keep instrumentations of drivers from making spans of their own below those of this layer. @default false */
  readonly suppressDriverSpans?: boolean | undefined
}

const names: OptionNames<OpenTelemetryOptions> = {
  tracerProvider: true,
  meterProvider: true,
  attributes: true,
  suppressDriverSpans: true,
}

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
  checkFactoryOptions('openTelemetry', options, names)
  const { tracerProvider, meterProvider, attributes = {}, suppressDriverSpans = false } = options
  checkProvider({ tracerProvider }, 'getTracer')
  checkProvider({ meterProvider }, 'getMeter')
  if (typeof suppressDriverSpans !== 'boolean')
    throw new StoreError('INVALID_CONFIG', 'suppressDriverSpans must be true or false.')
  checkAttributes(attributes)
  const providers = { tracerProvider, meterProvider }
  const own = Object.freeze({ ...attributes })
  return passThrough('openTelemetry', {
    wrap: (inner) => traced(inner, new Telemetry(inner, { providers, attributes: own, suppressDriverSpans })),
  })
}

/** @throws {StoreError} `INVALID_CONFIG` unless the provider is left out or has the method */
export function checkProvider(given: Readonly<Record<string, unknown>>, method: string): void {
  for (const [name, provider] of Object.entries(given)) {
    if (provider === undefined || typeof (provider as Record<string, unknown>)[method] === 'function')
      continue
    throw new StoreError('INVALID_CONFIG', `${name} must be a provider of OpenTelemetry, with ${method}().`)
  }
}

function checkAttributes(attributes: unknown): void {
  const isRight =
    typeof attributes === 'object' &&
    attributes !== null &&
    Object.values(attributes).every((value) => ['string', 'number', 'boolean'].includes(typeof value))
  if (!isRight)
    throw new StoreError('INVALID_CONFIG', 'attributes must be an object of texts, numbers and booleans.')
}
