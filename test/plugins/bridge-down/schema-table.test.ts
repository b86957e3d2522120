import { holdsAgainstTheSchemas } from '../bridge/schemas.js';
import { beyondTheSchemas, table } from './schema-table.js';

holdsAgainstTheSchemas(table, beyondTheSchemas);
