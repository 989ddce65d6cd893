import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  createNoopMeter,
  type Histogram,
  type MeterProvider,
  metrics,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import type { Store } from '@unikv/core'
import { monotonicMs } from '../monotonic.ts'
import { targetName, targetOf } from './target.ts'

/** The name of the instrumentation. */
export const scope = '@unikv/monitor'

/** The SDK looks for this key, and so do instrumentations. The API makes equal keys of equal names. */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** These stand for providers while none is registered. */
const noTracing = new ProxyTracerProvider().getDelegate()
const noMetrics = createNoopMeter()

/** Bounds of the buckets, in seconds, that the conventions advise. */
const explicitBucketBoundaries = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** Settings of the layer, checked. */
export interface TelemetryOptions {
  readonly providers: {
    readonly tracerProvider: TracerProvider | undefined
    readonly meterProvider: MeterProvider | undefined
  }
  readonly attributes: Attributes
  readonly suppressDriverSpans: boolean
}

/** Name and attributes that calls of one kind have in common. */
interface Described {
  readonly spanName: string
  readonly attributes: Attributes
}

/** Starts the spans of one store. Providers may be registered, or replaced, at any time. */
export class Telemetry {
  readonly #options: TelemetryOptions
  readonly #target: Attributes
  readonly #targetName: string | undefined
  readonly #described = new Map<string, Described>()
  #tracers: TracerProvider | undefined
  #tracer: Tracer | undefined
  #meters: MeterProvider | undefined
  #durations: Histogram | undefined

  constructor(store: Pick<Store<unknown>, 'name' | 'dataset'>, options: TelemetryOptions) {
    this.#options = options
    this.#target = { ...targetOf(store), ...options.attributes }
    this.#targetName = targetName(this.#target)
  }

  /** Whether anyone takes spans or measurements. */
  get isOn(): boolean {
    try {
      this.#follow()
    } catch {
      // A provider that fails takes nothing.
    }
    return this.#tracer !== undefined || this.#durations !== undefined
  }

  /** Take what is registered now. */
  #follow(): void {
    const { providers } = this.#options
    const tracers = delegateOf(providers.tracerProvider ?? trace.getTracerProvider())
    if (tracers !== this.#tracers) {
      this.#tracers = tracers
      this.#tracer = tracers === noTracing ? undefined : tracers.getTracer(scope)
    }
    const meters = providers.meterProvider ?? metrics.getMeterProvider()
    if (meters !== this.#meters) {
      this.#meters = meters
      this.#durations = durationsOf(meters)
    }
  }

  /** Start the span of a call. `isOn` was asked before. */
  start(operation: string, items: number): ObservedCall {
    const isBatch = items > 1
    const described = this.#describe(isBatch ? batchName(operation) : operation)
    const attributes = isBatch
      ? { ...described.attributes, 'db.operation.batch.size': items }
      : described.attributes
    const span = quietly(() =>
      this.#tracer?.startSpan(described.spanName, { kind: SpanKind.CLIENT, attributes }),
    )
    return new ObservedCall(span, this.#contextOf(span), this.#durations, described.attributes)
  }

  #describe(operation: string): Described {
    const known = this.#described.get(operation)
    if (known !== undefined) return known
    const spanName = this.#targetName === undefined ? operation : `${operation} ${this.#targetName}`
    const described = { spanName, attributes: { ...this.#target, 'db.operation.name': operation } }
    this.#described.set(operation, described)
    return described
  }

  #contextOf(span: Span | undefined): Context {
    const active = context.active()
    const own = span === undefined ? active : trace.setSpan(active, span)
    return this.#options.suppressDriverSpans ? own.setValue(suppressed, true) : own
  }
}

/** How a call ended. */
export interface Ending {
  /** How many of its items failed, all or some. */
  readonly failed: number
  /** The code of the call, or of the items that failed. */
  readonly code?: string | undefined
  /** Attributes of the span that describe the answer. */
  readonly facts?: Attributes
}

/** A call whose span has started. */
export class ObservedCall {
  readonly #span: Span | undefined
  readonly #context: Context
  readonly #durations: Histogram | undefined
  readonly #attributes: Attributes
  readonly #startedAt = monotonicMs()

  constructor(
    span: Span | undefined,
    within: Context,
    durations: Histogram | undefined,
    attributes: Attributes,
  ) {
    this.#span = span
    this.#context = within
    this.#durations = durations
    this.#attributes = attributes
  }

  /** Run a part of the call where its span is the active one. */
  within<T>(run: () => T): T {
    return context.with(this.#context, run)
  }

  /** End the span, and record the duration. */
  end({ failed, code, facts }: Ending): void {
    const errorType = failed === 0 ? undefined : { 'error.type': code ?? 'UNAVAILABLE' }
    const seconds = (monotonicMs() - this.#startedAt) / 1000
    quietly(() => this.#durations?.record(seconds, { ...this.#attributes, ...errorType }, this.#context))
    const span = this.#span
    if (span !== undefined) quietly(() => endSpan(span, errorType, facts))
  }
}

function endSpan(span: Span, errorType: Attributes | undefined, facts: Attributes | undefined): void {
  if (facts !== undefined) span.setAttributes(facts)
  if (errorType !== undefined) {
    span.setAttributes(errorType)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

/** A sampler, processor or provider that throws must not fail the call that it watches. */
function quietly<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** A write of several types has no name of its own. */
function batchName(operation: string): string {
  return operation === '' ? 'BATCH' : `BATCH ${operation}`
}

function delegateOf(provider: TracerProvider): TracerProvider {
  return provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider
}

function durationsOf(provider: MeterProvider): Histogram | undefined {
  const meter = provider.getMeter(scope)
  if (meter === noMetrics) return undefined
  return meter.createHistogram('db.client.operation.duration', {
    description: 'Duration of database client operations.',
    unit: 's',
    advice: { explicitBucketBoundaries },
  })
}
