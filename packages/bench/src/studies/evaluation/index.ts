import { eventualName, leastMs } from './config.ts'
import { configured } from './document/configure.ts'
import { evaluationDocument } from './document/document.ts'
import { evaluation as study } from './evaluation.ts'

/** The study, and what a command needs that reads its document, names its stores, and shows its plan. */
export const evaluation = Object.assign(
  { documentOf: evaluationDocument, configured, eventualName, leastMs },
  study,
)
