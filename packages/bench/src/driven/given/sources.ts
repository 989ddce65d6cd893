import { z } from 'zod'
import { choice, text } from '../../options/forms.ts'
import { option } from '../../options/option.ts'
import type { Plain } from '../../options/plain.ts'

const several = z.array(z.string()).optional()

/** Options that a workload is made from; its own options change it. */
export const workloadSources = z.strictObject({
  /** A module with own operations. */
  workload: option(z.string().optional(), {
    help: 'TypeScript or JavaScript module with operations of your own',
    ...text('<file>'),
  }),
  preset: option(z.string().optional(), {
    help: 'workload of YCSB, from a to f',
    ...choice('a', 'b', 'c', 'd', 'e', 'f'),
    preset: 'b',
  }),
  propertyFile: option(several, {
    help: 'YCSB property file with the workload',
    ...text('<file>'),
    letter: 'P',
    isRepeatable: true,
  }),
  property: option(several, {
    help: 'one YCSB property, over those of the file',
    ...text('<name=value>'),
    letter: 'p',
    isRepeatable: true,
  }),
})

/** The sources of a workload, as they were given. */
export type WorkloadSources = Plain<typeof workloadSources>
