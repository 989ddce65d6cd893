// Electronic health records: reads of the five most recent observations of a patient, writes of one observation.
import { ehr } from '@unikv/bench/engine'

export default ehr({ patients: Number(process.env.PATIENTS ?? 20_000) })
