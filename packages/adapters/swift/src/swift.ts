import type { Bytes, Store } from '@unikv/core'
import { type Chosen, openOnce } from '@unikv/core/adapter'
import type { SwiftCapabilities } from './capabilities.ts'
import type { SwiftNative } from './client/native.ts'
import { openStore } from './open.ts'
import { type SwiftDurability, type SwiftOptions, settingsOf } from './options.ts'

/** The Swift store. */
export type SwiftStore<O extends SwiftOptions = SwiftOptions> = Store<
  Bytes,
  SwiftCapabilities<Chosen<O, 'durability', SwiftDurability, 'replicated'>>,
  SwiftNative
>

/**
 * Objects in a container of OpenStack Swift. Nothing is connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function swift<const O extends SwiftOptions>(options: O): SwiftStore<O> {
  return openStore(settingsOf(options)) as unknown as SwiftStore<O> // the options say how durable it is
}

/**
 * Make the container of these options, if it is missing: as `prepare: true` does on first use, for deployments where
 * the application may not create containers.
 *
 * @throws {StoreError} `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareSwift(options: SwiftOptions): Promise<void> {
  await openOnce(openStore({ ...settingsOf(options), prepare: true }))
}
