import type { AnyStack } from '../../stack/any-store.ts'
import { planCodec, valueStreams } from '../../stack/facts.ts'
import { layersOf, type Place } from '../../stack/layers-of.ts'
import type { RecordStreams } from '../../stack/streams.ts'
import { recordsOf } from './records.ts'

/** Streams of a stack, or why it has none. */
export type StreamsOf =
  | { readonly streams: RecordStreams; readonly why?: undefined }
  | { readonly streams?: undefined; readonly why: string }

/**
 * The values of a KeyValue as streams, by the layer that keeps them in parts. Only layers that pass values on may stand above it: others
 * change the whole value, or keep one that a stream would make old.
 *
 * @throws {StoreError} `INVALID_CONFIG` if this is not a KeyValue
 */
export function streamsOf(kv: AnyStack): StreamsOf {
  const calls = recordsOf(kv)
  const places = layersOf(kv)
  const at = places.findIndex(({ layer }) => valueStreams.of(layer.plan.facts) !== undefined)
  const place = places[at]
  const streams = valueStreams.of(place?.layer.plan.facts)
  if (place === undefined || streams === undefined)
    return { why: 'This stack has no layer that keeps values in parts. Add parts().' }
  const between = places.slice(0, at).find((place) => !passesOn(place))
  if (between === undefined) return { streams: streams(calls, place.inner) }
  const { name } = between.layer
  return { why: `${name} stands above the layer that keeps values in parts. Put it below, or leave it out.` }
}

function passesOn({ layer: { name, plan } }: Place): boolean {
  if (planCodec.of(plan.facts) !== undefined) return name === 'bytes'
  return plan.inner === 'any' && plan.outer === 'any' && name !== 'cache'
}
