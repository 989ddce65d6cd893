import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { type Checked, checked } from './check-configuration.ts'
import { folderOf, pathFrom, urlFrom } from './from-folder.ts'
import type { StoreUses } from './uses.ts'
import { type Environment, withVariables } from './variables.ts'

/** Settings of functions that read a configuration. */
export interface EnvironmentOptions {
  /** Variables for `${NAME}`. @default process.env */
  readonly environment?: Environment | undefined
}

/** Settings of `openStores`, with the stores that the program uses. */
export interface OpenStoresOptions extends EnvironmentOptions {
  /**
   * The stores that the program uses: the schema of their values, and the features that it needs. A configuration that does not
   * fit is refused, and `stores` has these types. For a configuration that is loaded from a file.
   *
   * ```ts
   * const uses = { users: { schema: User }, visits: { needs: ['increment', 'scan'] } } as const
   * const { stores } = await openStores(await loadConfig(), { uses })
   * ```
   *
   * @default the types come from the configuration
   */
  readonly uses?: StoreUses | undefined
}

/** Settings of `openStore`. */
export interface OpenStoreOptions extends EnvironmentOptions {
  /** Make what is missing, such as a table, with the first call; `false`: `NOT_PREPARED`, for programs that only read. @default true */
  readonly prepare?: boolean | undefined
}

const names: OptionNames<EnvironmentOptions> = { environment: true }
const namesOf: Readonly<Record<string, OptionNames<object>>> = {
  openStores: { ...names, uses: true } satisfies OptionNames<OpenStoresOptions>,
  openStore: { ...names, prepare: true } satisfies OptionNames<OpenStoreOptions>,
}

/**
 * A configuration with its variables, checked.
 *
 * @param whose the function that was called
 */
export function configured(whose: string, config: unknown, options: EnvironmentOptions): Checked {
  checkFactoryOptions(whose, options, namesOf[whose] ?? names)
  const folder = folderOf(config)
  const { stores, monitor, dashboard } = checked(
    withVariables(config, options.environment ?? process.env, folder),
  )
  const entries = Object.entries(stores).map(([name, store]) => [
    name,
    store.url === undefined ? store : { ...store, url: urlFrom(folder, store.url) },
  ])
  return { stores: Object.fromEntries(entries), monitor, dashboard: dashboardFrom(folder, dashboard) }
}

function dashboardFrom(folder: string | undefined, dashboard: Checked['dashboard']): Checked['dashboard'] {
  const pathOf = (path: string | undefined): string | undefined => path && pathFrom(folder, path)
  return (
    dashboard && {
      ...dashboard,
      decoders: dashboard.decoders?.map((one) => ({
        ...one,
        proto: pathOf(one.proto),
        module: pathOf(one.module),
      })),
    }
  )
}
