"""Containers, clusters and clouds. What happens there happens outside this machine, often for other people too."""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, HIGH, LOW, MEDIUM, NETWORK, PRIVILEGE, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases

RUN_VALUES = (
    "-v --volume -e --env --name -p --publish -w --workdir -u --user --network --net --mount --entrypoint -h "
    "--hostname --env-file --label -l --memory -m --cpus --platform --add-host --device --cap-add --security-opt "
    "--pid --ipc --userns "
    "--restart --pull --tmpfs --volumes-from --gpus --log-driver"
)


def _looking(names: str) -> tuple[Entry, ...]:
    return tuple(Entry(name, LOW, "Shows information", (name,), kind="reads") for name in phrases(names))


def _remote_looking(names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, MEDIUM, "Asks a remote service", (name,), kind="contacts", categories=(NETWORK,))
        for name in phrases(names)
    )


def _remote_deleting(names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, HIGH, "Deletes things of a remote service", (name,), kind="deletes",
              categories=(DELETION, NETWORK), harmless="--dry-run --dry-run=client --dryrun --help",
              consequence="Other people may depend on them")
        for name in phrases(names)
    )  # fmt: skip


def _remote_changing(names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, HIGH, "Changes a remote service", (name,), kind="contacts",
              categories=(SYSTEM, NETWORK), harmless="--dry-run --dry-run=client --dryrun --help")
        for name in phrases(names)
    )  # fmt: skip


def _engine(name: str) -> tuple[Entry, ...]:
    """docker and podman understand the same words."""
    return (
        Entry(name, MEDIUM, "Uses containers", (f"{name} wait x",), values="-H --host -c --context --config"),
        *_looking(", ".join(f"{name} {word}" for word in (
            "ps", "images", "logs", "inspect", "version", "info", "stats", "top", "port", "diff", "history",
            "volume ls",
            "network ls", "image ls", "container ls", "compose ps", "compose logs", "compose config", "system df"))),
        Entry(f"{name} run", MEDIUM, "Runs a container", (
            f"{name} run alpine ls", f"{name} run --privileged alpine => high",
            f"{name} run -v /:/host alpine => high"),
            values=RUN_VALUES),
        Entry(f"{name} create", MEDIUM, "Creates a container", (f"{name} create alpine",), values=RUN_VALUES),
        Entry(f"{name} exec", MEDIUM, "Runs a command in a container", (f"{name} exec -it x ls",),
              values="-e -u -w --env --user --workdir",
              worse=(Worse("--privileged", HIGH, "Runs a command with all rights in a container", (PRIVILEGE,)),)),
        Entry(f"{name} build", MEDIUM, "Builds an image", (f"{name} build -t x .",), values="-t -f --build-arg"),
        Entry(f"{name} pull", MEDIUM, "Downloads an image", (f"{name} pull alpine",), kind="contacts",
              categories=(NETWORK,)),
        Entry(f"{name} login", HIGH, "Stores a password", (f"{name} login",), kind="contacts",
              categories=(NETWORK, SYSTEM)),
        Entry(f"{name} cp", MEDIUM, "Copies files to or from a container", (f"{name} cp x:/a .",), kind="writes"),
        Entry(f"{name} stop", MEDIUM, "Stops containers", (f"{name} stop x",)),
        Entry(f"{name} kill", MEDIUM, "Stops containers", (f"{name} kill x",)),
        Entry(f"{name} start", MEDIUM, "Starts containers", (f"{name} start x",)),
        Entry(f"{name} rm", MEDIUM, "Deletes containers", (f"{name} rm x", f"{name} rm -v x => high"), kind="deletes",
              categories=(DELETION,),
              worse=(Worse("-v --volumes", HIGH, "Deletes containers with their data", (DELETION,)),)),
        Entry(f"{name} rmi", MEDIUM, "Deletes images", (f"{name} rmi x",), kind="deletes", categories=(DELETION,)),
        *(Entry(f"{name} {what}", HIGH, "Deletes data of containers", (f"{name} {what}",), kind="deletes",
                categories=(DELETION,), consequence="Volumes hold data that exists nowhere else")
          for what in ("system prune", "volume rm", "volume prune", "image prune", "container prune", "compose rm",
                       "swarm leave", "stack rm", "builder prune", "network prune", "secret rm")),
        Entry(f"{name} compose", MEDIUM, "Controls a set of containers", (f"{name} compose up -d",),
              values="-f --file -p --project-name"),
        Entry(f"{name} compose down", MEDIUM, "Stops a set of containers", (
            f"{name} compose down", f"{name} compose down -v => high"), kind="deletes",
            worse=(Worse("-v --volumes", HIGH, "Deletes containers with their data", (DELETION,)),)),
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = (
    *_engine("docker"),
    *_engine("podman"),
    Entry("docker-compose", MEDIUM, "Controls a set of containers", ("docker-compose up",
          "docker-compose down -v => high"),
          values="-f --file -p", worse=(Worse("-v --volumes", HIGH, "Deletes containers with their data",
          (DELETION,)),)),
    Entry("buildah", MEDIUM, "Builds images", ("buildah bud .",)),
    Entry("skopeo", MEDIUM, "Copies images", ("skopeo inspect x",), kind="contacts", categories=(NETWORK,)),
    Entry("kubectl", HIGH, "Changes a cluster", ("kubectl label x y",), kind="contacts", categories=(SYSTEM, NETWORK),
          values="-n --namespace --context --kubeconfig --cluster -o -l -f"),
    *_remote_looking("""
    kubectl get, kubectl describe, kubectl logs, kubectl top, kubectl explain, kubectl version, kubectl diff,
    kubectl api-resources, kubectl cluster-info, helm status, helm get, helm history, helm repo, helm search, aws s3
    ls, aws sts get-caller-identity, gcloud config list, gcloud info, az account show, terraform refresh, terraform
    providers, heroku logs, heroku ps, vercel ls, fly status, flyctl status, doctl account get, pulumi preview, cdk
    diff, cdk synth, nomad status, consul members, argocd app list
    """),
    Entry("kubectl config", MEDIUM, "Handles cluster settings", ("kubectl config get-contexts",), kind="writes"),
    Entry("kubectl get secret", HIGH, "Prints secrets of a cluster", ("kubectl get secret x",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    Entry("kubectl get secrets", HIGH, "Prints secrets of a cluster", ("kubectl get secrets",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    *_remote_deleting("""
    kubectl delete, kubectl drain, helm uninstall, helm delete, terraform destroy, terragrunt destroy, pulumi
    destroy, cdk destroy, aws s3 rm, aws s3 rb, aws ec2 terminate-instances, aws rds delete-db-instance, aws
    dynamodb delete-table, aws iam delete-user, aws cloudformation delete-stack, aws lambda delete-function, gsutil
    rm, gsutil rb, gcloud projects delete, gcloud compute instances delete, gcloud sql instances delete, az group
    delete, az vm delete, az storage blob delete, doctl compute droplet delete, heroku apps:destroy, heroku
    pg:reset, vercel rm, vercel remove, netlify sites:delete, fly apps destroy, flyctl apps destroy, flyctl destroy,
    serverless remove, sls remove, eksctl delete, kind delete, minikube delete, nomad system gc, vault delete, vault
    kv delete, consul kv delete, firebase firestore:delete, supabase db reset, wrangler delete, railway down,
    vagrant destroy, virsh destroy, virsh undefine, multipass delete, lxc delete, openstack server delete, oc
    delete, argocd app delete, flux delete, mc rm, s3cmd del, s3cmd rb, b2 delete-file-version, terraform state rm,
    terraform workspace delete, vercel env rm, gcloud storage rm, aws s3api delete-object, aws s3api delete-bucket,
    aws ecr delete-repository
    """),
    *_remote_changing("""
    terraform apply, terraform import, terraform taint, terragrunt apply, pulumi up, cdk deploy, helm install, helm
    upgrade, helm rollback, kubectl apply, kubectl create, kubectl scale, kubectl rollout, kubectl exec, kubectl
    edit, kubectl patch, kubectl set, kubectl cp, kubectl port-forward, aws, gcloud, az, gsutil, doctl, heroku,
    vercel, netlify, fly, flyctl, serverless, sls, eksctl, firebase, supabase, wrangler, railway, vault, consul,
    nomad, ansible, ansible-playbook, salt, puppet, chef-client, fab, cap, oc, argocd, flux, mc, s3cmd, openstack,
    terraform, terragrunt, pulumi, cdk, helm, packer, aws s3 sync, aws s3 cp, aws s3 mv, stripe, twilio, surge, now,
    cf, ibmcloud, oci, linode-cli, hcloud, scw, eb, sam, amplify, dokku
    """),
    Entry("minikube", MEDIUM, "Controls a local cluster", ("minikube start",)),
    Entry("kind", MEDIUM, "Controls a local cluster", ("kind create cluster",)),
    Entry("vagrant", MEDIUM, "Controls virtual machines", ("vagrant up",)),
    Entry("virsh", HIGH, "Controls virtual machines", ("virsh start x",), categories=(SYSTEM,)),
    Entry("lxc", HIGH, "Controls containers", ("lxc launch x",), categories=(SYSTEM, PRIVILEGE)),
    Entry("qemu-system-x86_64", MEDIUM, "Runs a virtual machine", ("qemu-system-x86_64 a.img",)),
    Entry("aws configure", HIGH, "Handles access keys", ("aws configure",), kind="writes", categories=(SYSTEM,
          COMPLIANCE)),
    Entry("aws secretsmanager", HIGH, "Handles secrets", ("aws secretsmanager get-secret-value",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    Entry("gcloud auth print-access-token", HIGH, "Prints an access token", ("gcloud auth print-access-token",),
          kind="reads", categories=("data_exfiltration",)),
    Entry("vault read", HIGH, "Prints secrets", ("vault read secret/x",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    Entry("vault kv get", HIGH, "Prints secrets", ("vault kv get secret/x",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
)  # fmt: skip
