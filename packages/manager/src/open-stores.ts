import { checkRecorder, recorder } from '@unikv/monitor/recorder'
import type { Configuration } from './configuration/configuration.ts'
import { configured, type EnvironmentOptions, type OpenStoresOptions } from './configuration/configured.ts'
import type { StoresUsed, StoreUses } from './configuration/uses.ts'
import type { AnyManager, Manager } from './manager.ts'
import { OpenManager } from './open-manager.ts'

/**
 * Open the stores of a configuration. Nothing is connected before the first call.
 *
 * ```ts
 * const { stores, close } = await openStores(config)
 * await stores.users.set('ada', { name: 'Ada' })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG`: one sentence with the place of the mistake, without values of variables
 */
export function openStores<const C extends Configuration>(
  config: C,
  options?: OpenStoresOptions & { readonly uses?: undefined },
): Promise<Manager<C>>
export function openStores<const C extends Configuration, const U extends StoreUses>(
  config: C,
  options: OpenStoresOptions & { readonly uses: U },
): Promise<Manager<C, StoresUsed<U>>>
export async function openStores(
  config: Configuration,
  options: OpenStoresOptions = {},
): Promise<AnyManager> {
  return OpenManager.open(configured('openStores', config, options), options.uses, recorder)
}

/**
 * Open the stores of a configuration for a look at them: the options of its monitor are checked, but nothing is recorded, nothing
 * that is missing is made, and `recorder` is `undefined`.
 *
 * @throws {StoreError} `INVALID_CONFIG` as `openStores`
 */
export async function openUnrecorded<const C extends Configuration>(
  config: C,
  options: EnvironmentOptions = {},
): Promise<Manager<C>> {
  const configuration = configured('openUnrecorded', config, options)
  return (await OpenManager.open(configuration, undefined, checkRecorder, false)) as AnyManager as Manager<C>
}
