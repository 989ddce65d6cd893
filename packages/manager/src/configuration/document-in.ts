import { existsSync, statSync } from 'node:fs'
import { isStoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { wrong } from '../wrong.ts'
import { dataIn } from './data-file.ts'
import { type Environment, withVariables } from './variables.ts'

/**
 * The data in a file of YAML or JSON, with each `${NAME}` replaced as in a configuration.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is no file, it is neither, or a variable is not set
 */
export async function documentIn(path: string, environment: Environment = process.env): Promise<unknown> {
  if (!existsSync(path)) throw wrong(path, 'there is no such file')
  if (statSync(path).isDirectory()) throw wrong(path, 'it is a folder, not a file')
  const data = await dataIn(path)
  try {
    return withVariables(data, environment)
  } catch (error) {
    if (!isStoreError(error) || !isError(error)) throw error
    throw wrong(path, error.message, error)
  }
}
