import { dirname, relative, resolve } from 'node:path'
import { isStoreError } from '@unikv/core'
import { isPlainObject } from '@unikv/core/platform'
import { must } from '@unikv/stores/documents'
import { z } from 'zod'
import { workloadOf } from '../../../driven/given/workload-of.ts'
import { type Workload, workloadSchema } from '../../../operations/workload.ts'
import { type OwnBenchmark, openBenchmark } from '../own-benchmark.ts'
import { type Place, wrongIn } from './shaped.ts'
import { fields, optional, whole, wholeWithin } from './values.ts'

const path = z.string(must('the path of a module')).min(1, must('the path of a module'))

/** The schema of `workload/module`: a path, or an object with it as `file`. */
export const moduleSchema = z.preprocess(
  (given) => (typeof given === 'string' ? { file: given } : given),
  fields({ file: path, records: optional(wholeWithin(1, 1e9)), numOfThreads: optional(whole) }),
)

/** The modules of a user that a job names. */
export interface JobModules {
  readonly benchmark?: OwnBenchmark | undefined
  readonly workload?: Workload | undefined
}

/**
 * Load the modules that a job names, relative to the document that names them.
 *
 * @param fileOf the file of the document for a path in the job
 * @throws {StoreError} `INVALID_CONFIG` naming the place of one that cannot be used
 */
export async function modulesOf(
  data: unknown,
  place: Place,
  fileOf: (path: string) => string,
): Promise<JobModules> {
  const load = async <T>(
    at: string,
    given: unknown,
    open: (file: string) => Promise<T>,
  ): Promise<T | undefined> => {
    if (typeof given !== 'string' || !isPath(given)) return undefined
    try {
      return await open(relative('.', resolve(dirname(fileOf(at)), given)))
    } catch (error) {
      if (isStoreError(error)) throw wrongIn(place, at, error.message.replace(/\.$/, ''))
      throw error
    }
  }
  const module = inside(data, 'workload', 'module')
  return {
    benchmark: await load(
      'workload.session.benchmark',
      inside(data, 'workload', 'session', 'benchmark'),
      openBenchmark,
    ),
    workload: await load('workload.module', inside(module, 'file') ?? module, ownWorkload),
  }
}

/** A name of a built-in benchmark has no dot and no slash. */
function isPath(text: string): boolean {
  return /[./\\]/.test(text)
}

async function ownWorkload(file: string): Promise<Workload> {
  const { workload, phases } = await workloadOf({ workload: file })
  if (phases !== undefined) throw wrongIn(file, 'phases', 'a job has none: use bench run, or a suite')
  return workloadSchema.parse(workload)
}

function inside(data: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (found, name) => (isPlainObject(found) ? (found as Readonly<Record<string, unknown>>)[name] : undefined),
    data,
  )
}
