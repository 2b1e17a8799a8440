"""Tools of people who work with data: pipelines, warehouses, experiments.

Looking and running a pipeline of the project is ordinary; the state such a tool keeps (a metadata database, the cache
of all experiments, tables in a warehouse) is not the project's and is not brought back by git.
"""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, HIGH, LOW, MEDIUM, NETWORK
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.listed import acting, looking
from sandgate.assessment.listing import phrases

_LOST = "Only a backup can bring it back"
_WAREHOUSE = Worse("--full-refresh -f", MEDIUM, "Builds tables of a warehouse anew", (NETWORK,))

ENTRIES: tuple[Entry, ...] = (
    *looking("Shows pipelines or data", """
        dbt ls, dbt list, dbt parse, dbt compile, dbt docs, dbt debug, dbt deps, dbt --version, dbt show, dbt source,
        airflow info, airflow version, airflow dags list, airflow dags show, airflow dags state, airflow dags report,
        airflow tasks list, airflow tasks state, airflow providers list, airflow config get-value, airflow cheat-sheet,
        airflow pools list, airflow jobs check, airflow plugins, airflow db check, airflow dags list-runs,
        airflow dags list-import-errors, airflow roles list, airflow users list, superset version, dagster job list,
        kedro info, kedro catalog list, kedro registry list, great_expectations suite list, feast entities list,
        feast feature-views list, sqlmesh info, sqlmesh diff, sqlmesh render, meltano config list, zenml status,
        zenml stack list, dvc dag, dvc diff, dvc list, dvc metrics, dvc params, dvc plots, dvc version,
        clearml-data list, label-studio version, snakemake --list, nextflow log, nextflow info
        """),
    *acting("Runs or changes pipelines of the project", """
        dbt, airflow, superset, dagster, kedro, luigi, great_expectations, feast, sqlmesh, meltano, zenml, metaflow,
        dvc add, dvc init, dvc commit, dvc checkout, dvc repro, dvc exp, dvc run, dvc stage, dvc import, dvc freeze,
        dvc unfreeze, dvc move, dvc config, dvc remote, dvc install, dvc cache, dvc unprotect, dvc queue,
        snakemake, nextflow, clearml-task, label-studio, ploomber, flyte, pyflyte, bentoml, cog, guildai, aim, sacred,
        airflow dags, airflow tasks, airflow standalone, airflow scheduler, airflow webserver, airflow celery
        """, level=MEDIUM, kind="runs"),
    *(Entry(name, MEDIUM, "Builds tables of a warehouse", (f"{name} x",), kind="contacts", categories=(NETWORK,),
            values="-s --select -m --models -t --target --profile --project-dir --vars --exclude", worse=(_WAREHOUSE,))
      for name in phrases("dbt run, dbt build, dbt seed, dbt snapshot, dbt test, dbt run-operation, sqlmesh plan, "
                          "sqlmesh run")),
    *acting("Deletes what pipelines remember", """
        airflow db reset, airflow db clean, airflow db drop-archived, airflow dags delete, airflow tasks clear,
        airflow pools delete, airflow connections delete, airflow variables delete, airflow users delete,
        dvc gc, dvc destroy, dvc exp remove, dvc cache purge, dvc queue remove, mlflow gc, dagster run wipe,
        dagster asset wipe, nextflow clean, nextflow drop, feast teardown, zenml clean, sqlmesh invalidate,
        sqlmesh destroy, superset db downgrade, prefect server database reset, clearml-data delete, bentoml delete,
        airflow db downgrade, metaflow delete, wandb artifact cache cleanup, huggingface-cli delete-cache,
        hf cache delete, kedro catalog delete
        """, DELETION, kind="deletes", consequence=_LOST, harmless="--dry-run -n"),
    *acting("Prints what pipelines may sign in with", """
        airflow connections get, airflow connections list, airflow connections export, airflow variables get,
        airflow variables export, airflow config list
        """, "data_exfiltration", kind="reads"),
    Entry("dbt clean", MEDIUM, "Deletes what was built", ("dbt clean",), kind="deletes"),
    Entry("snakemake", LOW, "Builds the project", ("snakemake -n", "snakemake --delete-all-output => high"),
          worse=(Worse("--delete-all-output --delete-temp-output", HIGH, "Deletes all results", (DELETION,)),)),
)  # fmt: skip
