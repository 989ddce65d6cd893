import { createHash } from 'node:crypto'
import { StoreError } from '@unikv/core'
import { checkNotPipe, readWhole } from '@unikv/core/files'
import { importModule } from '../data/import-module.ts'
import { printable } from '../data/printable.ts'
import type { ModuleReference } from '../operations/module-reference.ts'
import { checkedModule } from './checked-module.ts'
import type { OwnWorkload } from './define-workload.ts'

/** A user's module, loaded and checked. */
export interface OwnModule {
  readonly workload: OwnWorkload<unknown>
  readonly reference: ModuleReference
}

/**
 * Load a module with own operations.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read, or exports something else
 */
export async function openOwnModule(file: string): Promise<OwnModule> {
  const sha256 = await hashOf(file)
  const workload = checkedModule(await importModule(file, 'workload module', sha256), printable(file))
  const operations = Object.entries(workload.operations ?? {}).map(([name, { needs = [] }]) => ({
    name,
    needs: [...needs],
  }))
  return { workload, reference: { file, sha256, operations } }
}

/**
 * Load it again, in another thread or on another machine.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if its text is another one
 */
export async function reopenOwnModule(reference: ModuleReference): Promise<OwnWorkload<unknown>> {
  const { file, sha256 } = reference
  const found = await openOwnModule(file)
  if (found.reference.sha256 === sha256) return found.workload
  const message = `The workload module ${printable(file)} is not the one that the run began with. Do not change it meanwhile, and use the same file everywhere.`
  throw new StoreError('INVALID_ARGUMENT', message)
}

async function hashOf(file: string): Promise<string> {
  const text = await contents(file).catch((cause: NodeJS.ErrnoException) => {
    const message = `The workload module ${printable(file)} cannot be read (${cause.code}).`
    throw new StoreError('INVALID_ARGUMENT', message, { cause })
  })
  return createHash('sha256').update(text).digest('hex')
}

async function contents(file: string): Promise<Buffer> {
  await checkNotPipe(file)
  return readWhole(file)
}
