import { eventualName } from './config.ts'
import { configured } from './document/configure.ts'
import { evaluationDocument } from './document/read-document.ts'
import { evaluation as study } from './evaluation.ts'
import { leastMs } from './plan.ts'

/** The study, and what a command needs that reads its document, names its stores, and shows its plan. */
export const evaluation = Object.assign(
  { documentOf: evaluationDocument, configured, eventualName, leastMs },
  study,
)
