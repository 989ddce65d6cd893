import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { type Checked, checked } from './check-configuration.ts'
import { type Environment, withVariables } from './variables.ts'

/** Settings of `openStores`. */
export interface OpenStoresOptions {
  /** Variables for `${NAME}`. @default process.env */
  readonly environment?: Environment | undefined
}

const names: OptionNames<OpenStoresOptions> = { environment: true }

/**
 * A configuration with its variables, checked.
 *
 * @param whose the function that was called
 */
export function configured(whose: string, config: unknown, options: OpenStoresOptions): Checked {
  checkFactoryOptions(whose, options, names)
  return checked(withVariables(config, options.environment ?? process.env))
}
