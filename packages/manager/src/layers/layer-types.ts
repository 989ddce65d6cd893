import type { ObjectCacheLayer, StoreCacheLayer } from '@unikv/cache'
import type { ThreadedCapabilities } from '@unikv/compression'
import type { Bytes, CodecCapabilities, Json, Layer, PassThrough } from '@unikv/core'
import type { DeltaLayer } from '@unikv/delta'
import type { EncryptionCapabilities } from '@unikv/encryption'
import type { PartsLayer } from '@unikv/parts'
import type { TransactionalLayer } from '@unikv/transaction'
import type { WriteBehindLayer } from '@unikv/write-behind'

/** The layers that a configuration can name, and their types. */
export interface NamedLayers {
  readonly json: Layer<Bytes, Json, CodecCapabilities>
  readonly text: Layer<Bytes, string, CodecCapabilities>
  readonly structured: Layer<Bytes, unknown, CodecCapabilities>
  readonly document: Layer<Json, Json, CodecCapabilities>
  readonly cache: ObjectCacheLayer
  readonly tier: StoreCacheLayer
  readonly compression: Layer<Bytes, Bytes, ThreadedCapabilities>
  readonly encryption: Layer<Bytes, Bytes, EncryptionCapabilities>
  readonly delta: DeltaLayer
  readonly parts: PartsLayer
  readonly transactional: TransactionalLayer
  readonly writeBehind: WriteBehindLayer
  readonly resilience: PassThrough
  readonly openTelemetry: PassThrough
}

/** The name of a layer. */
export type LayerName = keyof NamedLayers
